/**
 * `npm run bench:learn`: our linear SVM beside libsvm (libsvm-js, WebAssembly) on the same made-up documents: the
 * objective each reaches, accuracy on documents neither has seen, time. libsvm leaves the bias out of the norm, we
 * do not; so libsvm's objective is measured on both hyperplanes, and on that measure libsvm is the one at home.
 */
import { createRequire } from 'node:module';
import { readFlags } from '../scripts/script-flags.ts';
import { seededRandom } from '../src/kit/index.ts';
import { heldOutScores, rowDot, type SparseMatrix, type SvmProblem, trainSvm } from '../src/learn/index.ts';
import { classificationRows } from './classify.ts';
import { type LabelledRows, labelledDocuments } from './documents.ts';
import { retrainingRows } from './retraining.ts';
import { machine, median, table } from './table.ts';

const HELP = `npm run bench:learn -- [options]

  --sizes a,b     training documents (default 300,1000,3000; libsvm takes about 20 s for 3000)
  --features N    features (default 2000)
  --runs N        runs of our learner, the median is shown (default 5; libsvm runs once)
  --json          one JSON object on stdout
`;

const C = 1;
const TOLERANCE = 1e-3;
const UNSEEN = 2_000;
/** Beyond it held-out scores come from 5 folds. */
const LEAVE_ONE_OUT_LIMIT = 500;

const flags = readFlags({
  sizes: { type: 'string', default: '300,1000,3000' },
  features: { type: 'string', default: '2000' },
  runs: { type: 'string', default: '5' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
});

if (flags.help) process.stdout.write(HELP);
else await main();

/** As much of libsvm-js as is used; the package has no types. */
interface LibsvmClass {
  new (
    options: Readonly<Record<string, unknown>>,
  ): {
    train(rows: readonly (readonly number[])[], labels: readonly number[]): void;
    serializeModel(): string;
    free(): void;
  };
  readonly SVM_TYPES: { readonly C_SVC: string };
  readonly KERNEL_TYPES: { readonly LINEAR: string };
}

interface Hyperplane {
  readonly w: Float64Array;
  readonly b: number;
}

interface Measured {
  readonly learner: string;
  readonly documents: number;
  readonly ms: number;
  /** libsvm's objective: ½‖w‖² + C·Σ max(0, 1 − y(w·x + b)). */
  readonly objective: number;
  /** Share of unseen documents on the right side, in [0,1]. */
  readonly accuracy: number;
  /** Time for held-out scores of all training documents; NaN for libsvm. */
  readonly heldOutMs: number;
}

async function main(): Promise<void> {
  const sizes = flags.sizes.split(',').map(Number);
  const unseen = labelledDocuments(UNSEEN, Number(flags.features), 2);
  const rows: Measured[] = [];
  for (const size of sizes) {
    const seen = labelledDocuments(size, Number(flags.features), 1);
    rows.push(measureOurs(seen, unseen), await measureLibsvm(seen, unseen));
  }
  const retraining = retrainingRows();
  const classification = classificationRows();
  if (flags.json)
    process.stdout.write(`${JSON.stringify({ machine: machine(), training: rows, retraining, classification })}\n`);
  else process.stdout.write(`${machine()}\n\n${report(rows)}\n\n${retraining.text}\n\n${classification.text}\n`);
}

function measureOurs(seen: LabelledRows, unseen: LabelledRows): Measured {
  const problem = (): SvmProblem => ({
    ...seen,
    C: new Float64Array(seen.x.rows).fill(C),
    tolerance: TOLERANCE,
    random: seededRandom(1),
  });
  const times = Array.from({ length: Number(flags.runs) }, () => timed(() => trainSvm(problem())).ms);
  const solution = trainSvm(problem());
  const heldOut = timed(() => heldOutScores(problem(), solution, LEAVE_ONE_OUT_LIMIT));
  return { learner: 'Bingo', ms: median(times), heldOutMs: heldOut.ms, ...quality(solution, seen, unseen) };
}

async function measureLibsvm(seen: LabelledRows, unseen: LabelledRows): Promise<Measured> {
  const SVM = await loadLibsvm();
  const { C_SVC } = SVM.SVM_TYPES;
  const svm = new SVM({ type: C_SVC, kernel: SVM.KERNEL_TYPES.LINEAR, cost: C, tolerance: TOLERANCE, quiet: true });
  const rows = dense(seen.x);
  const { ms } = timed(() => svm.train(rows, [...seen.y]));
  const plane = readHyperplane(svm.serializeModel(), seen.x.columns);
  svm.free();
  return { learner: 'libsvm', ms, heldOutMs: Number.NaN, ...quality(plane, seen, unseen) };
}

function quality(
  plane: Hyperplane,
  seen: LabelledRows,
  unseen: LabelledRows,
): Pick<Measured, 'documents' | 'objective' | 'accuracy'> {
  let right = 0;
  for (let i = 0; i < unseen.x.rows; i++) if (Math.sign(decide(plane, unseen.x, i)) === unseen.y[i]) right++;
  let loss = 0;
  for (let i = 0; i < seen.x.rows; i++) loss += Math.max(0, 1 - seen.y[i]! * decide(plane, seen.x, i));
  const square = plane.w.reduce((sum, weight) => sum + weight ** 2, 0);
  return { documents: seen.x.rows, objective: square / 2 + C * loss, accuracy: right / unseen.x.rows };
}

function decide({ w, b }: Hyperplane, x: SparseMatrix, i: number): number {
  return rowDot(x, i, w) + b;
}

/** libsvm-js reports on the console how it was loaded, which is of no interest here. */
async function loadLibsvm(): Promise<LibsvmClass> {
  const { error, warn } = console;
  Object.assign(console, { error: () => {}, warn: () => {} });
  try {
    return await createRequire(import.meta.url)('libsvm-js');
  } finally {
    Object.assign(console, { error, warn });
  }
}

function dense(x: SparseMatrix): number[][] {
  return Array.from({ length: x.rows }, (_, i) => {
    const row = new Array<number>(x.columns).fill(0);
    for (let k = x.starts[i]!; k < x.starts[i + 1]!; k++) row[x.indices[k]!] = x.values[k]!;
    return row;
  });
}

/** libsvm's text form: a head with `rho` and `label`, then a line a support vector, `coefficient index:value …`. */
function readHyperplane(model: string, columns: number): Hyperplane {
  const [head = '', body = ''] = model.split('SV\n');
  const rho = Number(/^rho (\S+)/m.exec(head)?.[1]);
  const positiveFirst = /^label (\S+)/m.exec(head)?.[1] === '1' ? 1 : -1;
  const w = new Float64Array(columns);
  const indexBase = /(?:^|\s)0:/.test(body.slice(0, 1000)) ? 0 : 1;
  for (const line of body.trimEnd().split('\n')) {
    const [coefficient, ...entries] = line.trimEnd().split(' ');
    for (const entry of entries) {
      const colon = entry.indexOf(':');
      const index = Number(entry.slice(0, colon)) - indexBase;
      w[index]! += positiveFirst * Number(coefficient) * Number(entry.slice(colon + 1));
    }
  }
  return { w, b: -rho * positiveFirst };
}

function timed<T>(work: () => T): { ms: number; result: T } {
  const began = performance.now();
  const result = work();
  return { ms: performance.now() - began, result };
}

function report(rows: readonly Measured[]): string {
  const cells = rows.map((row) => [
    row.learner,
    String(row.documents),
    row.ms.toFixed(row.ms < 100 ? 1 : 0),
    row.objective.toFixed(3),
    `${(row.accuracy * 100).toFixed(1)} %`,
    Number.isNaN(row.heldOutMs) ? '' : row.heldOutMs.toFixed(0),
  ]);
  return table(['learner', 'documents', 'training ms', 'objective', 'accuracy', 'held-out scores ms'], cells);
}
