//! Standard streams, and other executables in this one's place or below it.
use rustix::buffer::spare_capacity;
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process};
use rustix::stdio::{dup2_stdin, stdin, stdout};
use std::ffi::{CString, c_char};
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::ptr::null;
use std::thread;
use std::time::Duration;

unsafe extern "C" {
    /// The environment, where the C library keeps it.
    static environ: *const *const c_char;
}

const CHUNK: usize = 16 * 1024;

/// How a spawned executable ended.
pub enum Ended {
    Exit(i32, Vec<u8>),
    Signal(i32),
    TooMuchOutput,
}

/// All of stdin; None as soon as it is more than `limit` bytes.
pub fn read_stdin(limit: usize) -> io::Result<Option<Vec<u8>>> {
    let mut input = Vec::new();
    loop {
        input.reserve(CHUNK);
        let length = patiently(|| rustix::io::read(stdin(), spare_capacity(&mut input)))?;
        if length == 0 {
            return Ok(Some(input));
        }
        if input.len() > limit {
            return Ok(None);
        }
    }
}

/// Writes all of it to stdout.
pub fn write_stdout(mut output: &[u8]) -> io::Result<()> {
    while !output.is_empty() {
        let written = patiently(|| rustix::io::write(stdout(), output))?;
        output = &output[written..];
    }
    Ok(())
}

// A stream may be non-blocking: whoever made it decides.
fn patiently(mut transfer: impl FnMut() -> Result<usize, Errno>) -> io::Result<usize> {
    loop {
        match transfer() {
            Err(Errno::AGAIN) => thread::sleep(Duration::from_millis(1)),
            Err(Errno::INTR) => {}
            other => return Ok(other?),
        }
    }
}

/// Lets an executable take this process's place; comes back only where that cannot be.
pub fn exec(path: &str, variables: &[String], input: Option<&str>) {
    let Ok(path) = CString::new(path) else { return };
    if let Some(text) = input {
        let Ok(()) = memory_file(text).and_then(|file| Ok(dup2_stdin(file)?)) else { return };
    }
    let arguments = [path.as_ptr(), null()];
    // SAFETY: there is no other thread that could look at the environment or the signals while they change, and all that is
    // pointed to is alive and ends in a null. The standard library's own way is execvp, which gives a shell whatever the
    // kernel does not know, and it has SIGPIPE ignored, which would stay so.
    unsafe {
        for pair in variables.chunks_exact(2) {
            std::env::set_var(&pair[0], &pair[1]);
        }
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        libc::execve(path.as_ptr(), arguments.as_ptr(), environ);
        libc::signal(libc::SIGPIPE, libc::SIG_IGN);
    }
}

/// The index of an interface in a network namespace; 0 if it has none of that name.
pub fn link_index(netns: &str, name: &str) -> io::Result<i32> {
    let _ = (netns, name);
    Err(io::ErrorKind::Unsupported.into())
}

/// Runs an executable to its end and reads its stdout, `limit` bytes at most.
pub fn spawn(path: &str, variables: &[String], input: Option<&str>, limit: usize) -> io::Result<Ended> {
    let child = command(path, variables).stdin(input_stream(input)?).stdout(Stdio::piped()).spawn()?;
    finish(child, limit)
}

/// The same for a program in PATH, with arguments; what it says on stderr is nobody's affair.
pub fn ask(program: &str, arguments: &[String], variables: &[String], input: &str, limit: usize) -> io::Result<Ended> {
    let mut command = command(program, variables);
    command.args(arguments).stdin(input_stream(Some(input))?).stdout(Stdio::piped()).stderr(Stdio::null());
    finish(command.spawn()?, limit)
}

fn finish(mut child: Child, limit: usize) -> io::Result<Ended> {
    let mut output = Vec::new();
    if let Some(stream) = child.stdout.take() {
        stream.take(limit as u64 + 1).read_to_end(&mut output)?;
    }
    let too_much = output.len() > limit;
    if too_much {
        terminate(&child);
    }
    let status = child.wait()?;
    Ok(match status.signal() {
        _ if too_much => Ended::TooMuchOutput,
        Some(signal) => Ended::Signal(signal),
        None => Ended::Exit(status.code().unwrap_or(0), output),
    })
}

fn command(path: &str, variables: &[String]) -> Command {
    let mut command = Command::new(path);
    command.envs(variables.chunks_exact(2).map(|pair| (&pair[0], &pair[1])));
    command
}

fn terminate(child: &Child) {
    if let Some(pid) = Pid::from_raw(child.id() as i32) {
        let _ = kill_process(pid, Signal::TERM);
    }
}

/// What gives an executable a text on stdin; without one it has this process's.
fn input_stream(input: Option<&str>) -> io::Result<Stdio> {
    let Some(text) = input else { return Ok(Stdio::inherit()) };
    match memory_file(text) {
        Ok(file) => Ok(file.into()),
        Err(_) => fed_pipe(text.to_owned()),
    }
}

fn memory_file(text: &str) -> io::Result<File> {
    let mut file = File::from(memfd_create("stdin", MemfdFlags::CLOEXEC)?);
    file.write_all(text.as_bytes())?;
    file.rewind()?;
    Ok(file)
}

fn fed_pipe(text: String) -> io::Result<Stdio> {
    let (reader, mut writer) = io::pipe()?;
    // An executable that does not read to the end breaks the pipe, which is its right.
    thread::spawn(move || writer.write_all(text.as_bytes()));
    Ok(reader.into())
}
