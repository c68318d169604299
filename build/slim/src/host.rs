//! The machine, as an object of functions for the core. Bytes stay here, and the core gets their index. A failure is a negative
//! error number.
use crate::child::{self, Ended};
use crate::engine::{Engine, Result, Value, done};
use crate::native;
use crate::one_thread::OneThread;
use crate::values::{Call, Give, Native, lossy};
use crate::{files, heap, links, process};
use rquickjs_sys::{JS_FreeAtom, JS_GetOwnProperty, JS_NewAtomLen, JS_SetProperty};
use std::cell::RefCell;
use std::ffi::CStr;
use std::os::unix::ffi::OsStrExt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{env, fs, io, ptr, thread};

/// EINVAL, for the standard library's own errors, which have no number: a NUL in a path, for example.
const INVALID: i32 = 22;

/// The engine needs about this many bytes for each byte of JSON that the core reads.
const ENGINE_NEEDS: usize = 8;

/// Shorter JSON needs few pages. The core does not read most of a longer one. In bytes.
const SMALL: usize = 8 * 1024;
const LARGE: usize = 64 * 1024;

/// The bytes of stdin and of each plugin's stdout. The core mostly passes them on.
static BYTES: OneThread<RefCell<Vec<Vec<u8>>>> = OneThread(RefCell::new(Vec::new()));

static FUNCTIONS: &[(&CStr, Native)] = &[
    (c"executable", native!(|_| Ok(env::current_exe().map(|path| lossy(path.as_os_str().as_bytes()).into_owned()).unwrap_or_default()))),
    (c"now", native!(|_| Ok(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_millis() as f64)))),
    (c"sleep", native!(|call| Ok(thread::sleep(Duration::from_millis(call.number(0)? as u64))))),
    (c"pid", native!(|_| Ok(std::process::id() as i32))),
    (c"readStdin", native!(|call| Ok(read_stdin(call.number(0)?)))),
    (c"writeText", native!(|call| Ok(outcome(process::write_stdout(call.text(0)?.as_bytes()))))),
    (c"writeBytes", native!(|call| Ok(outcome(with_bytes(call.number(0)?, process::write_stdout))))),
    (c"decodeUtf8", native!(decode_utf8)),
    (c"decodeLossy", native!(|call| Ok(with_bytes(call.number(0)?, |bytes| lossy(bytes).give(call.engine))))),
    (c"inspect", native!(|call| Ok(files::inspect(&call.text(0)?)))),
    (c"exec", native!(exec)),
    (c"spawn", native!(spawn)),
    (c"readFile", native!(|call| Ok(read_file(call.engine, &call.text(0)?)))),
    (c"appendJournal", native!(|call| Ok(outcome(files::append_journal(&call.text(0)?, &call.text(1)?, call.flag(2), call.flag(3)))))),
    (c"removeFile", native!(|call| Ok(drop(fs::remove_file(&*call.text(0)?))))),
    (c"removeDirectory", native!(|call| Ok(drop(fs::remove_dir(&*call.text(0)?))))),
    (c"listDirectory", native!(|call| Ok(files::list_directory(&call.text(0)?)))),
    (c"stat", native!(|call| Ok(files::stat(&call.text(0)?)))),
    (c"linkIndex", native!(|call| Ok(link_index(&call.text(0)?, &call.text(1)?)))),
    (c"writeStderr", native!(|call| Ok(drop(io::Write::write_all(&mut io::stderr(), call.text(0)?.as_bytes()))))),
    (c"appendLine", native!(|call| Ok(outcome(files::append_line(&call.text(0)?, &call.text(1)?))))),
];

/// Makes the object that the core's `main` gets.
pub fn machine(engine: Engine) -> Result<Value> {
    let machine = engine.object()?;
    for (name, function) in FUNCTIONS {
        engine.set_function(machine, name, *function)?;
    }
    Ok(machine)
}

/// Makes an object of this process's environment variables. Of two with one name the first counts, as for Go and for C.
pub fn variables(engine: Engine) -> Result<Value> {
    let variables = engine.object()?;
    for (name, value) in env::vars_os() {
        let (name, value) = (lossy(name.as_bytes()), lossy(value.as_bytes()));
        // SAFETY: the engine copies the name, and takes the value.
        unsafe {
            let atom = JS_NewAtomLen(engine.0, name.as_ptr().cast(), name.len() as _);
            if JS_GetOwnProperty(engine.0, ptr::null_mut(), variables, atom) == 0 {
                done(JS_SetProperty(engine.0, variables, atom, value.give(engine)))?;
            }
            JS_FreeAtom(engine.0, atom);
        }
    }
    Ok(variables)
}

fn read_stdin(limit: usize) -> Option<i32> {
    let input = match process::read_stdin(limit) {
        Ok(input) => input?,
        Err(error) => return Some(failure(&error)),
    };
    let more = if (SMALL..LARGE).contains(&input.len()) { ENGINE_NEEDS * input.len() } else { 0 };
    heap::populate(heap::WITH_CONFIGURATION + more);
    Some(keep(input))
}

fn decode_utf8(call: &Call) -> Result<Option<Value>> {
    let decode = |bytes: &[u8]| Some(std::str::from_utf8(bytes).ok()?.give(call.engine));
    Ok(with_bytes(call.number(0)?, decode))
}

fn exec(call: &Call) -> Result<()> {
    process::exec(&call.text(0)?, &call.texts(1)?, call.optional_text(2)?.as_deref());
    Ok(())
}

fn spawn(call: &Call) -> Result<Vec<i32>> {
    let (path, arguments, variables) = (call.text(0)?, call.texts(1)?, call.texts(2)?);
    let (input, limit, is_quiet) = (call.optional_text(3)?, call.number(4)?, call.flag(5));
    let (arguments, variables, input) = (&*arguments, &*variables, input.as_deref());
    let program = child::Call { path: &path, arguments, variables, input, is_quiet };
    Ok(numbers_of(child::run(&program, limit)))
}

fn read_file(engine: Engine, path: &str) -> Option<Value> {
    files::read_file(path).ok().map(|content| lossy(&content).give(engine))
}

fn link_index(netns: &str, name: &str) -> i32 {
    links::link_index(netns, name).unwrap_or_else(|error| failure(&error))
}

fn keep(mut bytes: Vec<u8>) -> i32 {
    // The heap can use the rest: they are its last block.
    bytes.shrink_to_fit();
    let mut all = BYTES.borrow_mut();
    all.push(bytes);
    all.len() as i32 - 1
}

fn with_bytes<T>(index: usize, action: impl FnOnce(&[u8]) -> T) -> T {
    action(&BYTES.borrow()[index])
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
