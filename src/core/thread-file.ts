/**
 * Where the built code of a thread, a child process or a script for browsers lies, for the module that calls.
 *
 * From source (tests, benchmarks) it is the built one too: a thread that reads TypeScript compiles a WebAssembly module of
 * several MB to strip the types, which costs half a second each time, and V8 does not always survive hundreds of them.
 * @param name - the file beside the caller, without its ending
 * @param caller - the caller's `import.meta.url`
 */
export function threadFile(name: string, caller: string): URL {
  return new URL(`./${name}.js`, caller.replace(/\/src\/((?!.*\/src\/).*\.ts)$/, '/dist/$1'));
}
