//! Compiles the bundle of the TypeScript core to bytecode, which `main.rs` embeds.
use rquickjs::{Context, Module, Runtime, WriteOptions};
use std::{env, error::Error, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    let bundles = env::var("CNI_WRAPPERS_BUNDLES").map_err(|_| "build with: npm run build:slim")?;
    let context = Context::full(&Runtime::new()?)?;
    println!("cargo:rerun-if-env-changed=CNI_WRAPPERS_BUNDLES");
    println!("cargo:rustc-link-arg=-Wl,-T,order.ld");
    println!("cargo:rerun-if-changed=order.ld");
    let script = Path::new(&bundles).join("main.mjs");
    println!("cargo:rerun-if-changed={}", script.display());
    let source = fs::read(script)?;
    let bytecode = context.with(|ctx| {
        let options = WriteOptions { strip_source: true, strip_debug: true, ..Default::default() };
        Module::declare(ctx, "main.js", source)?.write(options)
    })?;
    fs::write(Path::new(&env::var("OUT_DIR")?).join("main.bytecode"), bytecode)?;
    Ok(())
}
