import type { FuzzTarget } from './fuzz.ts';
import { DOCUMENTS } from './targets/documents.ts';
import { LAB } from './targets/lab.ts';
import { PAGES } from './targets/pages.ts';
import { PEOPLE } from './targets/people.ts';
import { WARCS } from './targets/warcs.ts';
import { WIRE } from './targets/wire.ts';

/** Every parser of outside input. */
export const FUZZ_TARGETS: readonly FuzzTarget[] = [...WIRE, ...PEOPLE, ...PAGES, ...WARCS, ...LAB, ...DOCUMENTS];
