import { lockWorkspace } from '../../src/store/index.ts';

const lock = lockWorkspace(process.argv[2]!);
process.stdout.write('locked\n');
// Keeps a reference, because an unreferenced lock is released by garbage collection.
setInterval(() => lock, 1000);
