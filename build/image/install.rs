//! The entry point of the container image: installs the executable of the image into a directory of the host, as
//! `cni-wrappers install` does. It is static, because the image has nothing else.
//!
//! Usage: /install [DIRECTORY] [--wait]

use std::fs::{self, File};
use std::io::{Error, Result, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::{env, process, thread};

const NAME: &str = "cni-wrappers";

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let directory = arguments.iter().find(|argument| !argument.starts_with("--"));
    let directory = PathBuf::from(directory.map_or("/host/opt/cni/bin", |path| path));
    if let Err(error) = install(Path::new("/release"), &directory) {
        eprintln!("{}: {error}", directory.display());
        process::exit(1);
    }
    println!("{}: installed", directory.display());
    // A container of a DaemonSet starts again when it ends.
    while arguments.iter().any(|argument| argument == "--wait") {
        thread::park();
    }
}

/// Puts the executable into its place, the links last. A kill leaves the old one or the new one.
fn install(release: &Path, directory: &Path) -> Result<()> {
    let hidden = directory.join(format!(".{NAME}"));
    let executable = directory.join(NAME);
    if hidden.join("owner").exists() {
        return Err(Error::other("a package made its files: upgrade them with apt or dnf"));
    }
    if fs::symlink_metadata(&executable).is_ok_and(|found| !found.is_file()) {
        return Err(Error::other(format!("{NAME} is no file there; move it away first")));
    }
    let links = links_of(release)?;
    for name in &links {
        refuse_others(&directory.join(name))?;
    }
    let bytes = fs::read(release.join(NAME))?;
    fs::create_dir_all(&hidden)?;
    note_checksum(&release.join("checksum"), &hidden.join("checksums"))?;
    if fs::read(&executable).ok().as_ref() != Some(&bytes) {
        replace(&bytes, &executable, &hidden)?;
    }
    for name in links {
        make_link(&directory.join(name), &hidden)?;
    }
    File::open(directory)?.sync_all()
}

fn links_of(release: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(release)? {
        let entry = entry?;
        if entry.file_type()?.is_symlink() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

fn refuse_others(path: &Path) -> Result<()> {
    let is_free = fs::symlink_metadata(path).is_err();
    let is_ours = fs::read_link(path).is_ok_and(|target| target == Path::new(NAME));
    if is_free || is_ours {
        return Ok(());
    }
    Err(Error::other(format!("{} is something that install did not make; move it away first", path.display())))
}

/// Adds the executable's line, which `cni-wrappers status` compares with the executable.
fn note_checksum(own: &Path, known: &Path) -> Result<()> {
    let line = fs::read_to_string(own)?;
    let before = fs::read_to_string(known).unwrap_or_default();
    if before.contains(&line) {
        return Ok(());
    }
    let fresh = known.with_extension("image");
    write_durably(&fresh, format!("{before}{line}").as_bytes(), 0o644)?;
    fs::rename(fresh, known)
}

/// The old executable gets a second name before the new one takes its place.
fn replace(bytes: &[u8], executable: &Path, hidden: &Path) -> Result<()> {
    let fresh = hidden.join("image");
    write_durably(&fresh, bytes, 0o755)?;
    if fs::read(&fresh)? != bytes {
        return Err(Error::other("the disk does not have what was written to it"));
    }
    let kept = hidden.join("image.previous");
    let _ = fs::remove_file(&kept);
    let is_replaced = fs::hard_link(executable, &kept).is_ok();
    fs::rename(fresh, executable)?;
    if is_replaced {
        fs::rename(kept, hidden.join("previous"))?;
    }
    Ok(())
}

fn make_link(path: &Path, hidden: &Path) -> Result<()> {
    if fs::symlink_metadata(path).is_ok() {
        return Ok(());
    }
    let fresh = hidden.join("image.link");
    let _ = fs::remove_file(&fresh);
    symlink(NAME, &fresh)?;
    fs::rename(fresh, path)
}

fn write_durably(path: &Path, bytes: &[u8], mode: u32) -> Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.set_permissions(fs::Permissions::from_mode(mode))?;
    file.sync_all()
}
