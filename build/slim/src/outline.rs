//! Finds the large values of a JSON object, so that the core need not parse them. It accepts only the spelling that
//! JSON.stringify would give the same object: the core can then hand the bytes on as they are. Runtimes use this spelling.
use std::fmt::Write;

/// The engine reads and writes a shorter value in less than half a millisecond, and the search must not slow down a call whose
/// longest value is one that the core reads. In bytes.
const LARGE: usize = 24 * 1024;

/// The engine accepts deeper values, and decides about them itself.
const DEEPEST: usize = 100;

/// So many digits are exact in a floating-point number.
const MOST_DIGITS: usize = 15;

/// The bytes that end a string or count as signs, or that JSON.stringify escapes.
static SPECIAL: [bool; 256] = {
    let mut special = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        special[byte] = byte < 0x20 || matches!(byte as u8, b'"' | b'\\' | b',' | b'[' | b'{');
        byte += 1;
    }
    special
};

/// A key of an object, and where its value is.
#[derive(Clone, Copy)]
struct Member<'a> {
    key: &'a [u8],
    start: usize,
    end: usize,
}

/// The position in a text. All functions return None if JSON.stringify would write the text differently, or it is not JSON.
struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Commas and opening brackets, in strings as well.
    signs: usize,
    members: Vec<Member<'a>>,
}

/// Returns a JSON text of a list: the object, in which each large value is 0, and the key, start and end of each of them. The
/// values of `read` stay, which are keys with a space before and after each. None if the object has no other large value, or
/// more signs than the limit.
pub fn outline(bytes: &[u8], read: &str, limit: usize) -> Option<String> {
    if bytes.len() < LARGE {
        return None;
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let mut scanner = Scanner { bytes, at: 0, signs: 0, members: Vec::new() };
    scanner.members(0)?;
    let mut sorted = scanner.members.clone();
    if scanner.at < bytes.len() || scanner.signs > limit || !are_distinct(&mut sorted) {
        return None;
    }
    let (mut object, mut large, mut copied) = (String::from("["), String::new(), 0);
    for Member { key, start, end } in scanner.members {
        if end - start >= LARGE && !is_read(key, read) {
            object += &text[copied..start];
            object.push('0');
            copied = end;
            write!(large, ",[\"{}\",{start},{end}]", std::str::from_utf8(key).ok()?).ok()?;
        }
    }
    (copied > 0).then(|| object + &text[copied..] + &large + "]")
}

/// Whether the core reads a key. Go ignores the case of keys, and its rules for letters outside ASCII are its own.
fn is_read(key: &[u8], read: &str) -> bool {
    !key.is_ascii() || read.split(' ').any(|known| known.as_bytes().eq_ignore_ascii_case(key))
}

fn are_distinct(members: &mut [Member]) -> bool {
    members.sort_unstable_by_key(|member| member.key);
    members.windows(2).all(|pair| pair[0].key != pair[1].key)
}

impl<'a> Scanner<'a> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then_some(())
    }

    fn word(&mut self, word: &[u8]) -> Option<()> {
        word.iter().try_for_each(|byte| self.expect(*byte))
    }

    fn value(&mut self, depth: usize) -> Option<()> {
        match self.peek()? {
            b'"' => self.string().map(|_| ()),
            b'{' => self.object(depth),
            b'[' => self.list(depth),
            b't' => self.word(b"true"),
            b'f' => self.word(b"false"),
            b'n' => self.word(b"null"),
            _ => self.number(),
        }
    }

    /// Opens a list or an object. Returns whether it is empty, and then closes it.
    fn open(&mut self, end: u8, depth: usize) -> Option<bool> {
        self.at += 1;
        self.signs += 1;
        let is_empty = self.peek()? == end;
        self.at += usize::from(is_empty);
        (depth < DEEPEST).then_some(is_empty)
    }

    /// Whether there is another value before the end.
    fn another(&mut self, end: u8) -> Option<bool> {
        let byte = self.next()?;
        self.signs += usize::from(byte == b',');
        (byte == b',' || byte == end).then_some(byte != end)
    }

    fn list(&mut self, depth: usize) -> Option<()> {
        let mut goes_on = !self.open(b']', depth)?;
        while goes_on {
            self.value(depth + 1)?;
            goes_on = self.another(b']')?;
        }
        Some(())
    }

    fn object(&mut self, depth: usize) -> Option<()> {
        let first = self.members.len();
        self.members(depth)?;
        let is_right = are_distinct(&mut self.members[first..]);
        self.members.truncate(first);
        is_right.then_some(())
    }

    /// Reads an object and adds its members.
    fn members(&mut self, depth: usize) -> Option<()> {
        if self.peek()? != b'{' {
            return None;
        }
        let mut goes_on = !self.open(b'}', depth)?;
        while goes_on {
            let key = self.string()?;
            // JavaScript moves keys that are numbers to the front.
            if key.first().is_some_and(u8::is_ascii_digit) {
                return None;
            }
            self.expect(b':')?;
            let start = self.at;
            self.value(depth + 1)?;
            self.members.push(Member { key, start, end: self.at });
            goes_on = self.another(b'}')?;
        }
        Some(())
    }

    /// Reads a string. Returns what is between its quotes.
    fn string(&mut self) -> Option<&'a [u8]> {
        self.expect(b'"')?;
        let start = self.at;
        loop {
            self.at += self.bytes[self.at..].iter().position(|byte| SPECIAL[usize::from(*byte)])?;
            match self.next()? {
                b'"' => return Some(&self.bytes[start..self.at - 1]),
                b'\\' if matches!(self.next()?, b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't') => {}
                b',' | b'[' | b'{' => self.signs += 1,
                _ => return None,
            }
        }
    }

    /// Reads an integer. Few configurations have other numbers, and those can be spelled in several ways.
    fn number(&mut self) -> Option<()> {
        let sign = usize::from(self.peek()? == b'-');
        self.at += sign;
        let digits = self.bytes[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let is_zero = self.peek()? == b'0';
        self.at += digits;
        let is_right = if is_zero { digits + sign == 1 } else { (1..=MOST_DIGITS).contains(&digits) };
        is_right.then_some(())
    }
}
