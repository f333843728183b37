import test from 'ava';
import { pooledBytes } from '../../../src/files/data/buffer-pool.ts';
import { i32, struct } from '../../../src/files/formats/geoparquet/parquet/thrift-writer.ts';
import { packedPage } from '../../../src/files/formats/geoparquet/write/pages.ts';

/** Uses up the buffer that all small buffers of Node share, so that the next one begins a new one. */
function fillShared() {
  let last: Buffer;
  do last = Buffer.allocUnsafe(8);
  while (last.byteOffset + 1000 < last.buffer.byteLength);
}

test('a packed page does not lend the buffer that all small buffers share', async (t) => {
  for (let n = 0; n < 20; n++) {
    fillShared();
    await packedPage([Buffer.alloc(100, n)], (sizes) => ({ ...sizes, 5: struct({ 1: i32(1) }) }));
    const { buffer } = Buffer.allocUnsafe(8);
    t.not(pooledBytes(buffer.byteLength - 1000).buffer, buffer);
  }
});
