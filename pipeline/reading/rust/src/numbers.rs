//! The value of a printed cell, or the reason why it has none.

/// A cell is so many characters wide, its text right-aligned.
pub const WIDTH: usize = 24;

/// Codes of `null_reasons.py`.
pub const OK: u8 = 0;
pub const BLANK: u8 = 1;
const NOT_APPLICABLE: u8 = 2;
const NOT_CALCULATED: u8 = 3;
const NOT_PRESENT: u8 = 4;
const NOT_MEASURED: u8 = 5;
pub const OVERFLOW: u8 = 6;
pub const UNREADABLE: u8 = 7;

/// Numbers of so many digits in front of the point may have lost decimals to the width of their column.
pub const LARGE: usize = 4;
/// Fewer decimals than these stand in front of a suffix.
const MOST_WITH_SUFFIX: usize = 3;
/// Below it every whole number is an exact double.
const MOST_EXACT: f64 = 9_007_199_254_740_992.0;

#[derive(Clone, Copy, PartialEq)]
pub enum Reader {
    /// `binary`: suffixes count by 1024.
    Number {
        binary: bool,
    },
    Amount,
    Clock,
    Bound,
    HoursMinutesSeconds,
}

impl Reader {
    pub fn of(name: &str) -> Option<Reader> {
        Some(match name {
            "number" => Reader::Number { binary: false },
            "storage" => Reader::Number { binary: true },
            "amount" => Reader::Amount,
            "clock" => Reader::Clock,
            "bound" => Reader::Bound,
            "hours_minutes_seconds" => Reader::HoursMinutesSeconds,
            _ => return None,
        })
    }

    /// Whether a suffix or a percent sign may follow.
    pub fn is_number(self) -> bool {
        matches!(self, Reader::Number { .. } | Reader::Amount)
    }
}

/// How the cells of a column are read.
#[derive(Clone, Copy)]
pub struct How<'a> {
    pub reader: Reader,
    /// Letters that may be a suffix.
    pub suffixes: &'a [u8],
    /// Of free text, where a number with a unit may have any size (0.012 MB).
    pub in_text: bool,
    /// Of a bare integer below a title of times, in seconds; 0 if unknown: such cells are not read.
    pub unit: f64,
}

/// A cell's value (NaN for none) and code; whether a percent sign follows; the power of the suffix (0 for none, 2 for M), and how many
/// decimals are printed. Small, as there are millions.
#[derive(Clone, Copy)]
pub struct Read {
    pub value: f64,
    pub code: u8,
    pub percent: bool,
    power: u8,
    decimals: u8,
}

impl Read {
    fn new(value: f64, code: u8) -> Read {
        Read { value: if code == OK { value } else { f64::NAN }, code, percent: false, power: 0, decimals: 0 }
    }

    pub fn has_suffix(&self) -> bool {
        self.power > 0
    }

    /// That of the suffix.
    pub fn factor(&self, how: How) -> f64 {
        let is_binary = how.reader == Reader::Number { binary: true };
        if is_binary { 1024f64 } else { 1000f64 }.powi(i32::from(self.power))
    }

    /// The value of one unit of the last printed digit.
    pub fn last_digit(&self, how: How) -> f64 {
        self.factor(how) / ten_to(usize::from(self.decimals))
    }

    /// Whole, or with a suffix (1.3G is not a whole number of bytes), and not so large that a double may be another.
    pub fn is_whole(&self) -> bool {
        (self.value == self.value.round_ties_even() || self.has_suffix()) && self.value.abs() < MOST_EXACT
    }
}

pub fn read(cell: &[u8], how: How) -> Read {
    let text = trimmed(cell);
    if text.is_empty() {
        return Read::new(f64::NAN, BLANK);
    }
    match how.reader {
        Reader::Number { binary } => number(text, binary, how.suffixes, how.in_text),
        Reader::Amount => amount(text),
        Reader::Clock => clock(text, how.unit),
        Reader::Bound => bound(text, how.unit),
        Reader::HoursMinutesSeconds => hours_minutes_seconds(text),
    }
}

/// Why a text has no value: blank, N/A and the like, dashes, asterisks, or unreadable.
pub fn reason(text: &[u8]) -> u8 {
    if text.is_empty() {
        return BLANK;
    }
    if text.iter().all(|&byte| byte == b'*') {
        return OVERFLOW;
    }
    let begin = text.iter().take_while(|&&byte| byte == b'-').count();
    let behind = text[begin..].iter().rev().take_while(|&&byte| byte == b'-').count();
    match &text[begin..text.len() - behind] {
        b"" => NOT_MEASURED,
        b"N/A" => NOT_APPLICABLE,
        b"N/C" => NOT_CALCULATED,
        b"N/P" => NOT_PRESENT,
        _ => UNREADABLE,
    }
}

/// Whether a cell without a suffix prints so many decimals, or a number that leaves no room for these: one of `full` digits or more, and
/// where these are 0, one of four digits and more in front of its point, or of three without a point; or a bare 0, or 100.0. Such a number
/// has no comma.
pub fn has_decimals(cell: &[u8], wanted: i64, full: i64) -> bool {
    let text = trimmed(cell);
    let (digits, decimals, has_point) = lengths(text);
    if decimals as i64 == wanted {
        return true;
    }
    let bare = !has_point && digits >= LARGE - 1 || text == b"0" || text == b"100.0";
    let has_room = if full > 0 { ((digits + decimals) as i64) < full } else { digits < LARGE && !bare };
    !has_room && (has_point || !text.contains(&b',') || wanted == 0)
}

/// How many digits are in front of the point, how many characters behind it, and whether there is one.
pub fn lengths(text: &[u8]) -> (usize, usize, bool) {
    let digits = text.iter().filter(|byte| byte.is_ascii_digit()).count();
    let behind = text.iter().rev().position(|&byte| byte == b'.');
    (digits.saturating_sub(behind.unwrap_or(0)), behind.unwrap_or(0), behind.is_some())
}

pub fn trimmed(cell: &[u8]) -> &[u8] {
    if cell == [b' '; WIDTH] {
        return b"";
    }
    let begin = cell.iter().take_while(|&&byte| byte == b' ').count();
    let behind = cell[begin..].iter().rev().take_while(|&&byte| byte == b' ').count();
    &cell[begin..cell.len() - behind]
}

/// As a double: 10 to the power of 23 is none exactly.
fn ten_to(power: usize) -> f64 {
    10f64.powf(power as f64)
}

fn are_digits(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

fn parsed(text: &[u8]) -> f64 {
    std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()).unwrap_or(f64::NAN)
}

fn whole(text: &[u8]) -> u64 {
    text.iter().filter(|byte| byte.is_ascii_digit()).fold(0, |sum, &byte| sum * 10 + u64::from(byte - b'0'))
}

/// A number of few digits and a point at most.
fn short(text: &[u8]) -> Option<(f64, u8)> {
    let (mut digits, mut decimals, mut has_point) = (0u64, 0, false);
    if text.len() > 15 || text[0] == b'0' && text.len() > 1 && text[1] != b'.' {
        return None;
    }
    for &byte in text {
        match byte {
            b'0'..=b'9' => {
                digits = digits * 10 + u64::from(byte - b'0');
                decimals += u8::from(has_point);
            }
            b'.' if !has_point => has_point = true,
            _ => return None,
        }
    }
    // Both are exact, so the quotient is the double nearest to what is printed.
    if has_point && decimals == 0 { None } else { Some((digits as f64 / POWERS[usize::from(decimals)], decimals)) }
}

const POWERS: [f64; 16] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// A decimal number with commas between thousands, and with a suffix or a percent sign.
fn number(text: &[u8], binary: bool, suffixes: &[u8], in_text: bool) -> Read {
    if let Some((value, decimals)) = short(text) {
        return Read { decimals, ..Read::new(value, OK) };
    }
    let point = text.iter().position(|&byte| byte == b'.');
    let decimals = point.map_or(0, |at| text[at + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count());
    let digit = Read { decimals: decimals as u8, ..Read::new(f64::NAN, OK) };
    if text.iter().all(|&byte| byte == b' ' || (b'.'..=b'9').contains(&byte)) {
        let value = parsed(text);
        // A point without decimals after it means that the line was cut; a 0 in front of digits, that a point is lost.
        let is_lost = text[0] == b'0' && text.get(1).is_some_and(u8::is_ascii_digit);
        let code = if value.is_nan() || text.ends_with(b".") || is_lost { UNREADABLE } else { OK };
        return Read { decimals: digit.decimals, ..Read::new(value, code) };
    }
    let none = Read { code: reason(text), ..digit };
    let Some((value, suffix, percent)) = parts(text) else { return none };
    let Some(power) = power(suffix, binary) else { return none };
    let is_known = suffix.is_none_or(|letter| suffixes.contains(&letter));
    // A suffix saves digits: it stands behind no 0.1 and no 1.792.
    let saves = in_text || suffix.is_none() || value >= 1.0 && decimals < MOST_WITH_SUFFIX;
    if value.is_nan() || percent && power > 0 || !is_known || !saves {
        return none;
    }
    let factor = if binary { 1024f64 } else { 1000f64 }.powi(i32::from(power));
    let value = value * factor;
    // 17.1G is a whole number, but 17.1 has no exact double.
    let is_exact = !binary && power > 0 && factor / ten_to(decimals) >= 1.0;
    Read { value: if is_exact { value.round_ties_even() } else { value }, percent, power, ..digit }
}

fn power(suffix: Option<u8>, binary: bool) -> Option<u8> {
    match suffix {
        None => Some(0),
        Some(b'K') => Some(1),
        Some(b'M') => Some(2),
        Some(b'G') => Some(3),
        Some(b'B') if !binary => Some(3),
        Some(b'T') => Some(4),
        Some(_) => None,
    }
}

/// Number (NaN for none), suffix, and whether a percent sign follows.
fn parts(text: &[u8]) -> Option<(f64, Option<u8>, bool)> {
    let (text, percent) = text.strip_suffix(b"%").map_or((text, false), |rest| (rest, true));
    let (text, suffix) = match text.split_last() {
        Some((&last, rest)) if b"KMGBT".contains(&last) => (rest, Some(last)),
        _ => (text, None),
    };
    let unsigned = text.strip_prefix(b"-").unwrap_or(text);
    let point = unsigned.iter().position(|&byte| byte == b'.').unwrap_or(unsigned.len());
    let (front, fraction) = unsigned.split_at(point);
    if !fraction.is_empty() && !are_digits(&fraction[1..]) {
        return None;
    }
    if !front.is_empty() && !are_digits(front) && !in_thousands(front) {
        return None;
    }
    let without_commas: Vec<u8> = text.iter().copied().filter(|&byte| byte != b',').collect();
    Some((parsed(&without_commas), suffix, percent))
}

/// Whether a number has its commas where they belong.
fn in_thousands(text: &[u8]) -> bool {
    let mut groups = text.split(|&byte| byte == b',');
    let first = groups.next().unwrap_or_default();
    are_digits(first) && first[0] != b'0' && first.len() <= 3 && groups.all(|group| group.len() == 3 && are_digits(group))
}

/// A decimal number, or a duration with colons (h:mm:ss.fraction, leading zero units left out, or with days in front as
/// ddd-hh:mm:ss.fraction) in seconds.
fn amount(text: &[u8]) -> Read {
    let read = number(text, false, b"KMG", false);
    match if read.code == UNREADABLE { duration(text) } else { None } {
        Some(seconds) => Read { decimals: read.decimals, ..Read::new(seconds, OK) },
        None => read,
    }
}

fn duration(text: &[u8]) -> Option<f64> {
    let fields: Vec<&[u8]> = text.split(|&byte| byte == b':').collect();
    let (front, minutes, seconds) = match fields[..] {
        [minutes, seconds] => (None, minutes, seconds),
        [front, minutes, seconds] => (Some(front), minutes, seconds),
        _ => return None,
    };
    let up_to = |field: &[u8], most: usize| are_digits(field) && field.len() <= most;
    let mut total = 0.0;
    if let Some(front) = front {
        let dash = front.iter().position(|&byte| byte == b'-');
        let (days, hours) = dash.map_or((None, front), |at| (Some(&front[..at]), &front[at + 1..]));
        if !up_to(hours, 5) || days.is_some_and(|days| !up_to(days, 4)) {
            return None;
        }
        total += days.map_or(0.0, parsed) * 86400.0 + parsed(hours) * 3600.0;
    }
    let (second, fraction) = seconds.split_at(2.min(seconds.len()));
    let is_second = second.len() == 2 && are_digits(second) && second[0] <= b'5';
    let is_fraction = fraction.is_empty() || fraction[0] == b'.' && are_digits(&fraction[1..]);
    if !up_to(minutes, 4) || !is_second || !is_fraction || front.is_some() && whole(minutes) > 59 {
        return None;
    }
    total += parsed(minutes) * 60.0;
    total += parsed(seconds);
    // Whole seconds and a fraction that are added have digits that nobody printed (195.10660000000001).
    let digit = ten_to(fraction.len().saturating_sub(1));
    Some((total * digit).round_ties_even() / digit)
}

/// Seconds of a time printed as HHH.MM.SS.fraction with leading zero units left out.
fn clock(text: &[u8], unit: f64) -> Read {
    if are_digits(text) && text.len() <= 6 {
        let code = if unit > 0.0 { OK } else { UNREADABLE };
        return Read::new(whole(text) as f64 / (1.0 / unit).round_ties_even(), code);
    }
    let fields: Vec<&[u8]> = text.split(|&byte| byte == b'.').collect();
    let of_front = |most: usize| fields[0].len() <= most && fields[1..fields.len() - 1].iter().all(|field| field.len() == 2);
    let is_shaped = match fields.len() {
        2 | 3 => of_front(2),
        4 => of_front(3),
        _ => false,
    };
    let fraction = fields[fields.len() - 1];
    if !is_shaped || !fields.iter().all(|field| are_digits(field)) || ![3, 6].contains(&fraction.len()) {
        return Read::new(f64::NAN, reason(text));
    }
    let front = &fields[..fields.len() - 1];
    let seconds = front.iter().fold(0, |sum, field| sum * 60 + whole(field));
    let is_time = front.iter().rev().take(2).all(|field| whole(field) <= 59);
    let base = ten_to(fraction.len());
    // Divided last: whole seconds and a fraction that are added have digits that nobody printed (2.4971360000000002).
    let total = (seconds as f64 * base + whole(fraction) as f64) / base;
    Read::new(total, if is_time { OK } else { UNREADABLE })
}

/// The upper bound of a bucket: `<= clock` or `< clock`; `> clock` is the bucket above the last bound and has none.
fn bound(text: &[u8], unit: f64) -> Read {
    let bare: Vec<u8> = text.iter().map(|&byte| if b"<=>".contains(&byte) { b' ' } else { byte }).collect();
    let bare = trimmed(&bare);
    if bare.is_empty() {
        return Read::new(f64::NAN, BLANK);
    }
    let read = clock(bare, unit);
    if text.contains(&b'>') { Read { value: f64::NAN, ..read } } else { read }
}

/// Seconds of a duration printed as hh.mm.ss or hh:mm:ss.
fn hours_minutes_seconds(text: &[u8]) -> Read {
    let mark = if text.contains(&b':') { b':' } else { b'.' };
    let fields: Vec<&[u8]> = text.split(|&byte| byte == mark).collect();
    let is_good = fields.len() == 3
        && fields.iter().all(|field| are_digits(field))
        && fields[0].len() <= 3
        && fields[1..].iter().all(|field| field.len() == 2 && field[0] <= b'5');
    if !is_good {
        return Read::new(f64::NAN, reason(text));
    }
    Read::new(fields.iter().fold(0, |sum, field| sum * 60 + whole(field)) as f64, OK)
}
