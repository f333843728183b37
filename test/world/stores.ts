import { randomUUID } from 'node:crypto';
import { insertDataset } from '../../src/datasets/queries.ts';
import type { ByteSink } from '../../src/files/data/bytes.ts';
import type { Grid } from '../../src/files/data/grid.ts';
import type { Mesh } from '../../src/files/data/mesh.ts';
import type { MultiArray } from '../../src/files/data/multi-array.ts';
import { mdWriter } from '../../src/files/formats/zarr/format.ts';
import { bytes } from '../blobs/rules.ts';
import type { User, World } from '../world.ts';

/** Two steps of two columns and three rows: hundreds count steps, tens rows, ones columns. */
export const smallGrid = (): Grid => ({
  kind: 'grid',
  width: 2,
  height: 3,
  affine: [500_000, 10, 0, 6_000_030, 0, -10],
  crs: { authority: 'EPSG', code: 25832 },
  time: { spacing: 'equidistant', unit: 'hour', start: Date.UTC(2026, 0, 24), count: 2, offset: 0, interval: 1 },
  bands: [{ name: 'Level', unit: 'm', type: 'Float32', nodata: -1e-35 }],
  async *rows({ step }) {
    const samples = Float32Array.from({ length: 6 }, (_, n) => 100 * step + 10 * Math.floor(n / 2) + (n % 2));
    yield { firstRow: 0, rowCount: 3, samples };
  },
});

/** The bytes of a multidimensional store. */
export async function storeOf(data: Grid | Mesh | MultiArray): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let position = 0;
  const sink: ByteSink = {
    get position() {
      return position;
    },
    async append(piece) {
      pieces.push(piece);
      position += piece.length;
    },
    async patch(offset, piece) {
      const whole = Buffer.concat(pieces);
      whole.set(piece, offset);
      pieces.splice(0, pieces.length, whole);
    },
    async restart() {
      pieces.length = 0;
      position = 0;
    },
  };
  await mdWriter.write(data, {}, sink, {
    signal: new AbortController().signal,
    scratch: '',
    log() {},
    progress() {},
    reportLoss() {},
    remark() {},
    reportBadRecord() {},
    onEnd() {},
  });
  return Buffer.concat(pieces);
}

/** A multidimensional dataset, as a transfer makes it: the bytes are there before the row. */
export async function newStore(
  w: World,
  projectId: string,
  { userId }: User,
  name: string,
  content: Grid | Mesh | MultiArray | Buffer = smallGrid(),
): Promise<string> {
  const stored = Buffer.isBuffer(content) ? content : await storeOf(content);
  const blob = `dataset/${randomUUID()}`;
  const { size } = await w.blobs.put(blob, bytes(stored), 2 ** 30);
  const row = { datasetType: 'multidimensional', datasetFormat: 'md', blob, storageSize: size } as const;
  const { id } = await w.db.transaction((tx) => insertDataset(tx, { projectId, name, userId, ...row }));
  return id;
}
