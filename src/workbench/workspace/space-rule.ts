import { FEATURE_SPACES, type SpaceName, spaceParts } from '../../core/index.ts';
import { didYouMean } from '../words/suggest.ts';
import { listOf, type Rule } from './rules.ts';

/** Rule for one feature space, or several joined by `+`; sorts parts in the order of `FEATURE_SPACES`. */
const SPACE: Rule<SpaceName> = {
  expects: `one of ${FEATURE_SPACES.join(', ')}, or several joined by + such as terms+anchors`,
  read: (value) => {
    if (typeof value !== 'string') return { ok: false };
    const parts = spaceParts(value);
    if (parts !== undefined) {
      const ordered = FEATURE_SPACES.filter((space) => parts.includes(space)).join('+');
      return { ok: true, value: ordered as SpaceName };
    }
    const hint = whyNoSpace(value);
    return hint === undefined ? { ok: false } : { ok: false, hint };
  },
  write: String,
};

/** Rule for the feature spaces that classifiers are trained in: one or more, without repetitions. */
export function spaceList(): Rule<readonly SpaceName[]> {
  const list = listOf(SPACE, 1);
  return {
    ...list,
    read: (value) => {
      const read = list.read(value);
      if (!read.ok) return read;
      const twice = read.value.find((space, i) => read.value.indexOf(space) !== i);
      return twice === undefined ? read : { ok: false, hint: `"${twice}" is there twice.` };
    },
  };
}

function whyNoSpace(name: string): string | undefined {
  const words = name.split('+').map((word) => word.trim());
  const twice = words.find((word, i) => words.indexOf(word) !== i);
  if (twice !== undefined && spaceParts(twice) !== undefined) return `"${name}" joins "${twice}" with itself.`;
  const unknown = words.find((word) => spaceParts(word) === undefined);
  return unknown === undefined ? undefined : didYouMean(unknown, FEATURE_SPACES);
}
