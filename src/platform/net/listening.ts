import { once } from 'node:events';
import { createServer } from 'node:net';

export interface ListeningAddress {
  host: string;
  port: number;
}

/** Throws the sentence of `cannotListen` if nothing can listen there now. Call it before a start does anything else. */
export async function checkListening(address: ListeningAddress): Promise<void> {
  const server = createServer();
  try {
    server.listen(address.port, address.host);
    await once(server, 'listening');
  } catch (error) {
    throw cannotListen(error as NodeJS.ErrnoException, address);
  }
  server.close();
  await once(server, 'close');
}

/** Advice about an error of `listen`. */
export function cannotListen(error: NodeJS.ErrnoException, { host, port }: ListeningAddress): Error {
  const sentences: Record<string, string> = {
    EADDRINUSE: `Port ${port} of ${host} is in use. Stop the program that uses it, or set PLATFORM_PORT to another port (0: any free one).`,
    EACCES: `This user may not listen on port ${port}. Set PLATFORM_PORT to a port above 1023.`,
    EADDRNOTAVAIL: `${host} is not an address of this machine. Set PLATFORM_HOST to one of its addresses, or to 0.0.0.0 for all.`,
    ENOTFOUND: `${host} is not an address of this machine. Set PLATFORM_HOST to one of its addresses, or to 0.0.0.0 for all.`,
  };
  const sentence = sentences[error.code ?? ''];
  return sentence === undefined ? error : new Error(sentence, { cause: error });
}
