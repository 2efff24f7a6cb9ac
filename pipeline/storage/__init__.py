"""Where the files of a lake are: a folder of this machine, or object storage. All that reads and writes them goes through here."""
