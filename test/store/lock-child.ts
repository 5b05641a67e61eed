import { lockWorkspace } from '../../src/store/index.ts';

lockWorkspace(process.argv[2]!);
process.stdout.write('locked\n');
setInterval(() => {}, 1000);
