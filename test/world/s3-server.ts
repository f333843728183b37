import S3rver from './s3rver.ts';

/** Program of `s3-process.ts`: serves a bucket from the folder of its argument, and sends its port to its parent. */
const configureBuckets = [{ name: 'blobs', configs: [] }];
const directory = process.argv[2] ?? '';
const server = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory, configureBuckets });
const { port } = await server.run();
process.send?.(port);
