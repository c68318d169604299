//! The machine, as an object of functions for the core. Bytes stay here, and the core gets their index. A failure is a negative
//! error number.
use crate::child::{self, Call, Ended};
use crate::{files, links, process};
use rquickjs::{Ctx, Function, Object, Result};
use std::cell::RefCell;
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, fs, io};

/// EINVAL, for the standard library's own errors, which have no number: a NUL in a path, for example.
const INVALID: i32 = 22;

thread_local! {
    /// The bytes of stdin and of each plugin's stdout. The core mostly passes them on.
    static BYTES: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// Makes the object that the core's `main` gets.
pub fn machine<'js>(ctx: &Ctx<'js>, arguments: Vec<String>) -> Result<Object<'js>> {
    let machine = Object::new(ctx.clone())?;
    machine.set("arguments", arguments)?;
    machine.set("variables", variables(ctx)?)?;
    machine.set("pid", std::process::id())?;
    macro_rules! functions {
        ($($name:literal: $function:expr),* $(,)?) => { $(machine.set($name, Function::new(ctx.clone(), $function)?)?;)* };
    }
    functions! {
        "executable": || env::current_exe().map(|path| lossy(path.as_os_str())).unwrap_or_default(),
        "now": || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| (time.as_millis()) as f64),
        "readStdin": |limit: f64| process::read_stdin(limit as usize).map_or_else(|error| Some(failure(&error)), |input| input.map(keep)),
        "writeText": |text: String| outcome(process::write_stdout(text.as_bytes())),
        "writeBytes": |index: usize| outcome(with_bytes(index, process::write_stdout)),
        "decodeUtf8": |index: usize| with_bytes(index, |bytes| std::str::from_utf8(bytes).ok().map(str::to_owned)),
        "inspect": |path: String| files::inspect(&path),
        "exec": |path: String, variables: Vec<String>, input: Option<String>| process::exec(&path, &variables, input.as_deref()),
        "spawn": |path: String, arguments: Vec<String>, variables: Vec<String>, input: Option<String>, limit: f64, is_quiet: bool| {
            let input = input.as_deref();
            numbers_of(child::run(&Call { path: &path, arguments: &arguments, variables: &variables, input, is_quiet }, limit as usize))
        },
        "readFile": |path: String| fs::read(path).ok().map(|content| String::from_utf8_lossy(&content).into_owned()),
        "writeFile": |path: String, text: String| outcome(files::write_file(&path, &text)),
        "removeFile": |path: String| { let _ = fs::remove_file(path); },
        "listDirectory": |path: String| files::list_directory(&path),
        "stat": |path: String| files::stat(&path),
        "linkIndex": |netns: String, name: String| links::link_index(&netns, &name).unwrap_or_else(|error| failure(&error)),
        "writeStderr": |text: String| { let _ = std::io::Write::write_all(&mut io::stderr(), text.as_bytes()); },
        "appendLine": |path: String, line: String| outcome(files::append_line(&path, &line)),
    }
    Ok(machine)
}

fn variables<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let variables = Object::new(ctx.clone())?;
    for (name, value) in env::vars_os() {
        variables.set(lossy(&name), lossy(&value))?;
    }
    Ok(variables)
}

fn lossy(text: &std::ffi::OsStr) -> String {
    text.to_string_lossy().into_owned()
}

fn keep(bytes: Vec<u8>) -> i32 {
    BYTES.with_borrow_mut(|all| {
        all.push(bytes);
        all.len() as i32 - 1
    })
}

fn with_bytes<T>(index: usize, action: impl FnOnce(&[u8]) -> T) -> T {
    BYTES.with_borrow(|all| action(&all[index]))
}

fn failure(error: &io::Error) -> i32 {
    -error.raw_os_error().unwrap_or(INVALID)
}

fn outcome(result: io::Result<()>) -> i32 {
    result.map_or_else(|error| failure(&error), |()| 0)
}

/// A failure or 0; 1 for too much output; the signal; the exit code; the index of stdout's bytes.
fn numbers_of(result: io::Result<Ended>) -> Vec<i32> {
    match result {
        Err(error) => vec![failure(&error)],
        Ok(Ended::TooMuchOutput) => vec![0, 1],
        Ok(Ended::Signal(signal)) => vec![0, 0, signal],
        Ok(Ended::Exit(code, output)) => vec![0, 0, 0, code, keep(output)],
    }
}
