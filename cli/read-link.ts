import type { Dataset } from '../src/datasets/record.ts';
import type { TextAnswer } from '../src/http/rules/forms.ts';
import type { Io } from './io.ts';
import { timeSpan } from './options.ts';

type Linked = Pick<Dataset, 'id' | 'projectId' | 'dataPath'>;

/** Public address of the platform, with which all its addresses begin. */
export const publicBase = ({ dataPath }: Linked): string => dataPath.slice(0, dataPath.indexOf('/api/blob/'));

/**
 * The query of an address that grants reading only.
 * @param expires milliseconds from now
 */
export async function readSignature(io: Io, { id, projectId }: Linked, expires: number): Promise<string> {
  const query = { projectId, resourceId: id, readOnly: true, expiration: timeSpan(expires) };
  return (await io.api.call<TextAnswer>('GET', '/api/security/sastoken', { query })).body.data;
}
