import type { Answer } from './client.ts';
import { Refused } from './errors.ts';
import type { Io } from './io.ts';

/** Sends a change. If the server requires a fresh login for it, asks for the current password and sends it again. */
export async function sendWithPassword<T>(
  io: Io,
  send: (currentPassword?: string) => Promise<Answer<T>>,
  instead = "Run 'platform login' again, and repeat the command soon after",
): Promise<Answer<T>> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== 'FreshLoginRequired') throw error;
    return send(await io.secret('Current password:', instead));
  }
}
