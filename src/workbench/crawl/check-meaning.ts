import { BingoError, baseSpaces, type Config, UsageError } from '../../core/index.ts';
import { type Credentials, ModelServer } from '../../fetch/index.ts';

/**
 * Sends one request to the server of vectors, if a feature space needs it: pages would silently lack that space.
 * @throws UsageError if no server is named
 * @throws BingoError `NO_EMBEDDINGS` if it does not answer
 */
export async function checkMeaning(
  { learn, network }: Pick<Config, 'learn' | 'network'>,
  credentials: Credentials | undefined,
): Promise<void> {
  if (!baseSpaces(learn.spaces).includes('meaning')) return;
  if (learn.embeddings === '')
    throw new UsageError(
      'learn.spaces has "meaning", and learn.embeddings names no server.',
      'Set learn.embeddings, such as http://127.0.0.1:11434/v1, or remove "meaning" from learn.spaces.',
    );
  const server = new ModelServer(learn.embeddings, { network, access: credentials?.access });
  try {
    const models = learn.embeddingsModel === '' ? await server.models() : [learn.embeddingsModel];
    if ('kind' in models) throw noVectors(models.why);
    const [model] = models;
    if (model === undefined) throw noVectors(`${learn.embeddings} lists no model.`);
    const reply = await server.post('/embeddings', { model, input: 'bees', encoding_format: 'float' });
    if (reply.kind === 'failed') throw noVectors(reply.why);
  } finally {
    await server.close();
  }
}

function noVectors(why: string): BingoError {
  return new BingoError({
    code: 'NO_EMBEDDINGS',
    message: `The space "meaning" has no vectors. ${why}`,
    hint: 'Start the server, correct learn.embeddings or learn.embeddingsModel, or remove "meaning" from learn.spaces.',
  });
}
