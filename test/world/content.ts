import { randomUUID } from 'node:crypto';
import { insertDataset, type NewDataset } from '../../src/datasets/queries.ts';
import { bytes } from '../blobs/rules.ts';
import type { Client, User, World } from '../world.ts';

/** Creates a dataset in the order of a transfer: first the blob, then the row. */
export async function newDataset(
  w: World,
  projectId: string,
  { userId }: User,
  { content = 'the bytes', ...more }: Partial<NewDataset> & { content?: string | Uint8Array } = {},
): Promise<string> {
  const blob = `dataset/${randomUUID()}`;
  const { size } = await w.blobs.put(blob, bytes(content), 100_000_000);
  const { id } = await w.db.transaction((tx) =>
    insertDataset(tx, {
      projectId,
      name: 'terrain',
      datasetType: 'file',
      datasetFormat: 'geotiff',
      blob,
      storageSize: size,
      userId,
      ...more,
    }),
  );
  return id;
}

export async function subproject(client: Client, parentId: string, request: object): Promise<string> {
  const { status, body } = await client.post(`/api/metadata/project/${parentId}/subproject`, request);
  if (status !== 201) throw new Error(`subproject: ${status} ${JSON.stringify(body)}`);
  return body.id;
}
