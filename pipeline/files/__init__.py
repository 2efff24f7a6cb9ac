"""From files to text: containers, encodings, formats of lines, carriage control. Knows no report."""
