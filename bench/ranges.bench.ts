import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import S3rver from 's3rver';
import { BlobSources } from '../src/blobs/blob-source.ts';
import type { BlobStore } from '../src/blobs/blobs.ts';
import { DiskStore } from '../src/blobs/disk.ts';
import { openBlobStore } from '../src/blobs/open.ts';
import type { ByteSource } from '../src/files/data/bytes.ts';
import { FileSource } from '../src/files/formats/io/bytes.ts';

const KIB = 1024;
const MIB = KIB ** 2;
const SIZE = Number(process.env.BENCH_MB ?? 128) * MIB;
/** Simulated time to first byte of a remote bucket. */
const DELAY_MS = Number(process.env.BENCH_DELAY_MS ?? 20);
const PAGES = (process.env.BENCH_PAGES ?? '128').split(',').map((kib) => Number(kib) * KIB);
const ROUNDS = 3;

interface Traffic {
  requests: number;
  bytes: number;
}

/** An access pattern. */
interface Pattern {
  name: string;
  run(source: ByteSource): Promise<void>;
}

const pseudo = (seed: number) => () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) | 0;
  return (seed >>> 0) / 2 ** 32;
};

const PATTERNS: readonly Pattern[] = [
  {
    name: 'scan in pieces of 512 KiB',
    async run(source) {
      for (let at = 0; at < source.size; at += 512 * KIB) await source.read(at, 512 * KIB);
    },
  },
  {
    name: 'header, tile index, then 60 tiles of 40–200 KiB at random offsets',
    async run(source) {
      for (const [at, length] of [
        [0, 16],
        [16, 8],
        [24, 400],
        [2000, 900],
        [5000, 64 * KIB],
        [80_000, 32 * KIB],
      ] as const)
        await source.read(at, length);
      const random = pseudo(1);
      for (let n = 0; n < 60; n++)
        await source.read(Math.floor(random() * (source.size - MIB)), 40 * KIB + Math.floor(random() * 160 * KIB));
    },
  },
  {
    name: '400 values of 4 bytes, 12 kB apart',
    async run(source) {
      for (let n = 0; n < 400; n++) await source.read(MIB + n * 12_000, 4);
    },
  },
];

/**
 * Ranged reads of a blob, on disk and in a bucket with 20 ms to the first byte, compared to a local file (the lower
 * bound) and to one ranged GET per read; medians. Targets for the bucket, relative to plain GETs: a scan 2 times as
 * fast, small adjacent reads 10 times, scattered reads at most 1.2 times as slow with no more requests.
 */
export async function bench(): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'bench-ranges-'));
  const configureBuckets = [{ name: 'blobs', configs: [] }];
  const server = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory: root, configureBuckets });
  const { port } = await server.run();
  const traffic: Traffic = { requests: 0, bytes: 0 };
  const gate = await delayed(port, traffic);
  try {
    const file = join(root, 'file');
    const block = randomBytes(MIB);
    const blocks = () => Readable.from(Array.from({ length: SIZE / MIB }, () => block));
    await finished(blocks().pipe(createWriteStream(file)));
    const disk = await DiskStore.open(join(root, 'disk'));
    const bucket = await openBlobStore(`s3://S3RVER:S3RVER@127.0.0.1:${gate.port}/blobs?tls=false`, root);
    for (const store of [disk, bucket]) await store.put('dataset/a', blocks(), SIZE);
    const readers: [string, () => Promise<ByteSource & { close?(): Promise<void> }>][] = [
      ['local file', () => FileSource.open(file, { checksum: false })],
      ...PAGES.flatMap((pageBytes): typeof readers => [
        [`blob on disk, pages of ${pageBytes / KIB} KiB`, () => new BlobSources(disk, { pageBytes }).open('dataset/a')],
        [`blob in S3, pages of ${pageBytes / KIB} KiB`, () => new BlobSources(bucket, { pageBytes }).open('dataset/a')],
      ]),
      ['plain ranged GETs', async () => plain(bucket)],
    ];
    for (const { name, run } of PATTERNS) {
      console.log(`${name}:`);
      for (const [reader, open] of readers) {
        const seconds: number[] = [];
        for (let round = 0; round < ROUNDS; round++) {
          Object.assign(traffic, { requests: 0, bytes: 0 });
          const source = await open();
          const start = performance.now();
          await run(source);
          seconds.push((performance.now() - start) / 1000);
          await source.close?.();
        }
        const median = seconds.toSorted((a, b) => a - b)[ROUNDS >> 1]!;
        const { requests, bytes } = traffic;
        const requested = requests === 0 ? '' : `, ${requests} requests, ${(bytes / MIB).toFixed(1)} MiB`;
        console.log(`  ${reader}: ${median.toFixed(3)} s${requested}`);
      }
    }
  } finally {
    await gate.close();
    await server.close();
    await rm(root, { recursive: true, force: true });
  }
}

/** One request per read, without cache. */
function plain(store: BlobStore): ByteSource {
  return {
    size: SIZE,
    async read(offset, length) {
      const end = Math.min(SIZE, offset + length) - 1;
      return Buffer.concat(await (await store.read('dataset/a', { start: offset, end })).toArray());
    },
  };
}

/** A proxy that delays each answer and counts GET requests and their bytes. */
async function delayed(port: number, traffic: Traffic) {
  const gate = createServer((request, response) => {
    const { method, url, headers } = request;
    const pass = (answer: IncomingMessage) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
      if (method !== 'GET') return;
      traffic.requests++;
      answer.on('data', (chunk: Buffer) => {
        traffic.bytes += chunk.length;
      });
    };
    const passed = send({ host: '127.0.0.1', port, method, path: url, headers }, (answer) =>
      setTimeout(() => pass(answer), DELAY_MS),
    );
    passed.on('error', () => response.destroy());
    request.pipe(passed);
  });
  await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve));
  return {
    port: (gate.address() as AddressInfo).port,
    async close() {
      gate.closeAllConnections();
      await new Promise((resolve) => gate.close(resolve));
    },
  };
}
