import { openStore, type StoreOptions } from '../../src/store/index.ts';
import { typicalPage } from '../contracts/store-records.ts';

// Continues at the end of the store, prints what is durable on stdout, and runs until its parent kills it.
const store = await openStore(JSON.parse(process.argv[2]!) as StoreOptions);
store.onStored((sequence) => process.stdout.write(`${sequence}\n`));
store.onFailed((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
let sequence = await store.count();
process.stdout.write('open\n');
for (;;) {
  store.append(typicalPage(++sequence));
  if (store.backlog > 200) await store.flush();
  else if (sequence % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
}
