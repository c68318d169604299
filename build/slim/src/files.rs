//! The small files that the core reads, writes and inspects.
use crate::process::FIRST_READ;
use libc::O_NONBLOCK;
use rustix::fs::{
    Access, AtFlags, Mode, OFlags, PROC_SUPER_MAGIC, access, fstat, fstatfs, mkdirat, open, openat, readlinkat, statat,
};
use rustix::io::{Errno, retry_on_intr, write};
use rustix::process::geteuid;
use rustix::stdio::{stdin, stdout};
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};

const OWN: &str = "/proc/self/exe";
const COMPARED_AT_ONCE: usize = 64 * 1024;

/// Tells whether a path can be executed: 0 if it is not a file, 1 if it is not executable, 2 if it is this executable or a
/// copy of it, 3 if it is another executable.
pub fn inspect(path: &str) -> i32 {
    let Ok(file) = fs::metadata(path) else { return 0 };
    if !file.is_file() {
        return 0;
    }
    // guard: a file that is no executable is not run
    if access(path, Access::EXEC_OK).is_err() {
        return 1;
    }
    // guard: the wrapper does not run itself
    if is_itself(path, &file).unwrap_or(false) { 2 } else { 3 }
}

fn is_itself(path: &str, file: &fs::Metadata) -> io::Result<bool> {
    let own = fs::metadata(OWN)?;
    if (file.ino(), file.dev()) == (own.ino(), own.dev()) {
        return Ok(true);
    }
    Ok(file.size() == own.size() && has_same_bytes(File::open(path)?, File::open(OWN)?)?)
}

fn has_same_bytes(mut one: File, mut other: File) -> io::Result<bool> {
    let (mut chunk, mut other_chunk) = (Vec::new(), Vec::new());
    loop {
        for (file, chunk) in [(&mut one, &mut chunk), (&mut other, &mut other_chunk)] {
            chunk.clear();
            file.take(COMPARED_AT_ONCE as u64).read_to_end(chunk)?;
        }
        if chunk != other_chunk {
            return Ok(false);
        }
        if chunk.is_empty() {
            return Ok(true);
        }
    }
}

/// Reads a file, and waits for no writer of a pipe. The standard library would first ask for its size.
pub fn read_file(path: &str) -> io::Result<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(retry_on_intr(|| open(path, flags, Mode::empty()))?);
    let mut content = Vec::with_capacity(FIRST_READ);
    file.take(u64::MAX).read_to_end(&mut content)?;
    Ok(content)
}

/// The names in a directory, sorted as Node does, none if there is none; nothing if it cannot be read.
pub fn list_directory(path: &str) -> Option<Vec<String>> {
    let entries = loop {
        match fs::read_dir(path).map_err(|error| error.kind()) {
            Err(io::ErrorKind::Interrupted) => {}
            Err(io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => return Some(vec![]),
            opened => break opened.ok()?,
        }
    };
    let names: io::Result<Vec<_>> = entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect();
    let mut names = names.ok()?;
    names.sort_unstable();
    Some(names)
}

/// A file's device, inode and size, in milliseconds when its content and its inode last changed, and 1 if the path is a link to a
/// file without a name.
pub fn stat(path: &str) -> Option<Vec<f64>> {
    let named = fs::symlink_metadata(path).ok()?;
    let is_link = named.is_symlink();
    let file = if is_link { fs::metadata(path).ok()? } else { named };
    let is_unnamed = is_link && fs::canonicalize(path).is_err();
    let milliseconds = |seconds: i64, rest: i64| seconds as f64 * 1e3 + rest as f64 / 1e6;
    let modified = milliseconds(file.mtime(), file.mtime_nsec());
    let changed = milliseconds(file.ctime(), file.ctime_nsec());
    Some(vec![file.dev() as f64, file.ino() as f64, file.size() as f64, modified, changed, f64::from(u8::from(is_unnamed))])
}

/// Appends a text to a journal with one write. May make the file and its directory if missing. If flushed, it survives a power
/// loss: its content and its name are on the disk before this returns.
pub fn append_journal(path: &str, text: &str, makes_file: bool, is_flushed: bool) -> io::Result<()> {
    let directory = Path::new(path).parent().ok_or(io::ErrorKind::InvalidInput)?;
    let mut journal = if makes_file { open_journal(path, directory)? } else { appending().open(path)? };
    journal.write_all(text.as_bytes())?;
    if is_flushed {
        journal.sync_all()?;
        // The name of an older file is on the disk already.
        if journal.metadata()?.size() == text.len() as u64 {
            sync_directory(directory);
        }
    }
    Ok(())
}

/// Waits for no reader of a pipe.
fn appending() -> OpenOptions {
    OpenOptions::new().append(true).custom_flags(O_NONBLOCK).clone()
}

/// Another call may remove the directory in the moment between.
fn open_journal(path: &str, directory: &Path) -> io::Result<File> {
    for _ in 0..100 {
        match appending().create(true).mode(0o600).open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => make_directory(directory)?,
            opened => return opened,
        }
    }
    Err(Errno::NOENT.into())
}

/// Makes a directory and its parents. Syncs each parent, because it contains the new entry.
fn make_directory(path: &Path) -> io::Result<()> {
    let Some(above) = path.parent() else { return Ok(()) };
    if path.exists() {
        return Ok(());
    }
    make_directory(above)?;
    match DirBuilder::new().mode(0o700).create(path) {
        // Another process may make it at the same time.
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => sync_directory(above),
    }
    Ok(())
}

// Some file systems cannot sync a directory. The file exists all the same.
fn sync_directory(path: &Path) {
    let _ = File::open(path).and_then(|directory| directory.sync_all());
}

/// Appends a line to a log with one write. Makes the file and its directory if missing.
pub fn append_line(path: &str, line: &str) -> io::Result<()> {
    let log = open_log(Path::new(path))?;
    if let Some(problem) = refusal(&log, line)? {
        return Err(problem.into());
    }
    Ok(retry_on_intr(|| write(&log, line.as_bytes())).map(|_| ())?)
}

/// Opens a log name by name, so that nobody can replace a directory or link of its path meanwhile. Links are followed here,
/// because a link of root's may lead to another user's.
fn open_log(path: &Path) -> io::Result<File> {
    let mut directory = open(if path.is_absolute() { "/" } else { "." }, DIRECTORY, Mode::empty())?;
    let mut names: VecDeque<OsString> = names_of(path).collect();
    let mut links = 0;
    loop {
        let name = names.pop_front().unwrap_or_else(|| ".".into());
        let opened = open_in(&directory, &name, if names.is_empty() { open_file } else { open_directory })?;
        match opened {
            Opened::File(file) if names.is_empty() => return Ok(file.into()),
            Opened::File(next) => directory = next,
            Opened::Link(target) => {
                links += 1;
                if links > MOST_LINKS {
                    return Err(Errno::LOOP.into());
                }
                for name in names_of(&target).rev() {
                    names.push_front(name);
                }
                if target.is_absolute() {
                    directory = open("/", DIRECTORY, Mode::empty())?;
                }
            }
        }
    }
}

fn names_of(path: &Path) -> impl DoubleEndedIterator<Item = OsString> {
    path.components().filter(|one| *one != Component::RootDir).map(|one| one.as_os_str().to_owned())
}

const DIRECTORY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
/// As many as the kernel follows.
const MOST_LINKS: usize = 40;

enum Opened {
    File(OwnedFd),
    Link(PathBuf),
}

/// Opens what has a name in a directory. The target if it is a link to be followed, and an error if it must not be.
fn open_in(directory: &OwnedFd, name: &OsStr, opener: Opener) -> io::Result<Opened> {
    let error = match opener(directory, name, OFlags::NOFOLLOW) {
        Ok(file) => return Ok(Opened::File(file)),
        Err(error) => error,
    };
    let Ok(target) = readlinkat(directory, name, Vec::new()) else { return Err(error.into()) };
    // guard: the target of a link that another user may have made
    if is_open_to_others(directory)? {
        return Err(error.into());
    }
    // A link to an opened file has no path.
    if fstatfs(directory)?.f_type == PROC_SUPER_MAGIC {
        return Ok(Opened::File(opener(directory, name, OFlags::empty())?));
    }
    Ok(Opened::Link(PathBuf::from(OsString::from_vec(target.into_bytes()))))
}

type Opener = fn(&OwnedFd, &OsStr, OFlags) -> Result<OwnedFd, Errno>;

// Non-blocking: a log may be a pipe without a reader, and the call must not wait for one.
fn open_file(directory: &OwnedFd, name: &OsStr, more: OFlags) -> Result<OwnedFd, Errno> {
    let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::NONBLOCK | OFlags::CLOEXEC | more;
    let file = retry_on_intr(|| openat(directory, name, flags, Mode::from_raw_mode(0o640)))?;
    // guard: a file that another user has linked to the log's name
    if is_foreign_link(directory, name, &file)? { Err(Errno::MLINK) } else { Ok(file) }
}

/// Whether an opened file may be elsewhere, too: with fs.protected_hardlinks 0, everybody can link every file. One look at the
/// name tells both, as it may be another file's by now.
fn is_foreign_link(directory: &OwnedFd, name: &OsStr, file: &OwnedFd) -> Result<bool, Errno> {
    // guard: a log in a directory of root's may have two names
    if !is_open_to_others(directory)? {
        return Ok(false);
    }
    let (named, opened) = (statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)?, fstat(file)?);
    // guard: a file that another user has linked to the log's name
    Ok(named.st_nlink != 1 || (named.st_dev, named.st_ino) != (opened.st_dev, opened.st_ino))
}

fn open_directory(directory: &OwnedFd, name: &OsStr, more: OFlags) -> Result<OwnedFd, Errno> {
    let enter = || retry_on_intr(|| openat(directory, name, DIRECTORY | more, Mode::empty()));
    match enter() {
        Err(Errno::NOENT) => {
            // Another process may make it at the same time.
            let _ = mkdirat(directory, name, Mode::from_raw_mode(0o755));
            enter()
        }
        entered => entered,
    }
}

/// Whether a user other than root and this process's own, or a group, can make files in a directory.
fn is_open_to_others(directory: &OwnedFd) -> Result<bool, Errno> {
    let found = fstat(directory)?;
    // guard: a directory where another user may write
    Ok(found.st_mode & 0o022 != 0 || (found.st_uid != 0 && found.st_uid != geteuid().as_raw()))
}

// A line would become a part of the answer, or of a delegate's input.
fn refusal(log: &File, line: &str) -> io::Result<Option<Errno>> {
    let file = log.metadata()?;
    for stream in [fstat(stdin())?, fstat(stdout())?] {
        // guard: the call's own input and output
        if (stream.st_dev, stream.st_ino) == (file.dev(), file.ino()) {
            return Ok(Some(Errno::INVAL));
        }
    }
    // No other process's write can tear a shorter one.
    let is_torn = line.len() > libc::PIPE_BUF && file.file_type().is_fifo();
    Ok(is_torn.then_some(Errno::MSGSIZE))
}
