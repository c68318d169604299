/** The names of Linux for `e_machine` in the header of an ELF file (elf.h), as `uname -m` prints them. */
const machines: Readonly<Record<number, string>> = {
  3: "i686",
  21: "ppc64le",
  22: "s390x",
  40: "armv7l",
  62: "x86_64",
  183: "aarch64",
  243: "riscv64",
};

/** The same names for Node's `process.arch`. */
const ownMachines: Readonly<Record<string, string>> = {
  ia32: "i686",
  ppc64: "ppc64le",
  s390x: "s390x",
  arm: "armv7l",
  x64: "x86_64",
  arm64: "aarch64",
  riscv64: "riscv64",
};

/** Returns the machine that an executable is for; undefined if the bytes are no ELF file. */
export function machineOf(bytes: Buffer): string | undefined {
  if (bytes.length < 20 || bytes.readUInt32BE(0) !== 0x7f454c46) return undefined;
  const machine = bytes[5] === 2 ? bytes.readUInt16BE(18) : bytes.readUInt16LE(18);
  return machines[machine] ?? `machine ${machine}`;
}

/** Tells whether an ELF file has its table of sections, which is its end: a copy that was cut off may still answer some calls. */
export function isWhole(bytes: Buffer): boolean {
  const is64 = bytes[4] === 2;
  const isBig = bytes[5] === 2;
  const number = (at: number, size: number) => (isBig ? bytes.readUIntBE(at, size) : bytes.readUIntLE(at, size));
  if (bytes.length < (is64 ? 64 : 52)) return false;
  // Offsets of 64 bits have six used bytes: a Buffer is shorter than that.
  const table = is64 ? number(isBig ? 42 : 40, 6) : number(32, 4);
  const [entry, count] = [number(is64 ? 58 : 46, 2), number(is64 ? 60 : 48, 2)];
  return table + entry * count <= bytes.length;
}

/** Returns the name of this host's machine. */
export function ownMachine(architecture: string): string {
  return ownMachines[architecture] ?? architecture;
}
