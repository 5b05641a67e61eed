import { lockWorkspace } from '../../src/store/index.ts';

const lock = lockWorkspace(process.argv[2]!);
process.stdout.write('locked\n');
// A lock that nobody refers to goes with the next garbage collection.
setInterval(() => lock, 1000);
