//! The slim flavor: the TypeScript core, compiled to bytecode, on an embedded QuickJS. This is only a host: it does what the
//! core asks of the machine, and knows nothing about CNI.
#![no_main]
mod child;
mod files;
#[cfg(target_env = "gnu")]
mod heap;
mod host;
mod links;
mod process;

use rquickjs::context::Intrinsic;
use rquickjs::context::intrinsic::{Date, Json, MapSet, Promise, RegExp};
use rquickjs::{Context, Ctx, Error, Function, Module, Object, Runtime};
use std::ffi::{c_char, c_int};
use std::process::exit;

macro_rules! bytecode {
    ($($name:literal),*) => { &[$(($name, include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".bytecode")))),*] };
}

/// The core's modules. Every call loads `main`, which imports `shared`. The core loads the others when it needs them.
static MODULES: &[(&str, &[u8])] = bytecode!["main", "shared", "later", "rare", "problem"];

/// The parts of the engine that every call needs. Each further part would slow down every start. Only the log needs Date, and
/// it is in `rare`.
type Intrinsics = (Json, MapSet, Promise, RegExp);

/// The C library calls this. Rust's own start would also read /proc/self/maps and prepare a handler for a stack overflow, which
/// takes 2% of a call.
#[unsafe(no_mangle)]
extern "C" fn main(count: c_int, arguments: *const *const c_char) -> c_int {
    process::prepare_streams();
    #[cfg(target_env = "gnu")]
    heap::populate();
    // SAFETY: the C library passes `count` strings.
    let arguments = unsafe { process::strings(count, arguments) };
    let failed = match engine() {
        Ok(context) => context.with(|ctx| match run(&ctx, arguments) {
            // Drops nothing: the kernel frees the memory faster.
            Ok(code) => exit(code),
            Err(error) => format!("{error}: {:?}", ctx.catch()),
        }),
        Err(error) => error.to_string(),
    };
    eprintln!("{failed}");
    1
}

/// The engine's stack. A process that may have only 1 MiB must not end without an answer. In bytes.
const STACK: usize = 512 * 1024;

fn engine() -> rquickjs::Result<Context> {
    let runtime = Runtime::new()?;
    // A call ends before there is much garbage, and collecting it takes long.
    runtime.set_gc_threshold(usize::MAX);
    runtime.set_max_stack_size(STACK);
    Context::custom::<Intrinsics>(&runtime)
}

fn run(ctx: &Ctx<'_>, arguments: Vec<String>) -> rquickjs::Result<i32> {
    let machine = host::machine(ctx, arguments)?;
    ctx.globals().set("load", Function::new(ctx.clone(), load)?)?;
    declare(ctx, "shared")?;
    let main: Function = load(ctx.clone(), "main".to_owned())?.get("main")?;
    main.call((machine,))
}

/// Evaluates a module and returns its exports. Its imports must be declared.
fn load<'js>(ctx: Ctx<'js>, name: String) -> rquickjs::Result<Object<'js>> {
    if name == "rare" {
        // SAFETY: the context lives as long as `ctx`, and a module is loaded once.
        unsafe { Date::add_intrinsic(ctx.as_raw()) };
    }
    declare(&ctx, &name)?;
    Module::import(&ctx, format!("{name}.js"))?.finish()
}

fn declare(ctx: &Ctx<'_>, name: &str) -> rquickjs::Result<()> {
    let (_, bytecode) = MODULES.iter().find(|(known, _)| *known == name).ok_or(Error::Unknown)?;
    // SAFETY: `bytecode` was made by the same version of the engine, in build.rs.
    unsafe { Module::load(ctx.clone(), bytecode) }.map(|_| ())
}
