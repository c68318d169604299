//! The slim flavor: the TypeScript core, compiled to bytecode, on an embedded QuickJS. This is a host, not a second
//! implementation: it does what the core asks of the machine, and knows nothing of what that is for.
mod files;
mod host;
mod process;

use rquickjs::context::intrinsic::{Date, Json, MapSet, Promise, RegExp};
use rquickjs::{Context, Ctx, Function, Module, Object, Runtime};
use std::process::exit;

static CORE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/main.bytecode"));
/// The part that puts a fault into words. It is loaded when there is one.
static PROBLEM: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/problem.bytecode"));

/// What the core needs of the engine: each part that is not there starts no call later.
type Intrinsics = (Date, Json, MapSet, Promise, RegExp);

fn main() {
    let failed = match engine() {
        Ok(context) => context.with(|ctx| match run(&ctx) {
            // The kernel frees faster: nothing is dropped.
            Ok(code) => exit(code),
            Err(error) => format!("{error}: {:?}", ctx.catch()),
        }),
        Err(error) => error.to_string(),
    };
    eprintln!("{failed}");
    exit(1);
}

fn engine() -> rquickjs::Result<Context> {
    let runtime = Runtime::new()?;
    // A call is over before there is much to collect, and looking for it takes long.
    runtime.set_gc_threshold(usize::MAX);
    Context::custom::<Intrinsics>(&runtime)
}

fn run(ctx: &Ctx<'_>) -> rquickjs::Result<i32> {
    let machine = host::machine(ctx)?;
    ctx.globals().set("loadProblem", Function::new(ctx.clone(), load_problem)?)?;
    let main: Function = load(ctx, CORE)?.get("main")?;
    main.call((machine,))
}

fn load_problem<'js>(ctx: Ctx<'js>) -> rquickjs::Result<Object<'js>> {
    load(&ctx, PROBLEM)
}

/// Evaluates a module of bytecode; what it exports.
fn load<'js>(ctx: &Ctx<'js>, bytecode: &[u8]) -> rquickjs::Result<Object<'js>> {
    // SAFETY: `bytecode` was made by this very version of the engine, in build.rs.
    let module = unsafe { Module::load(ctx.clone(), bytecode) }?;
    let (module, evaluated) = module.eval()?;
    evaluated.finish::<()>()?;
    module.namespace()
}
