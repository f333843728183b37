import type { Command } from 'commander';
import { type InspectElsewhere, inspectCommand as inspectLocally } from 'hydrofiles/command';
import type { Io } from '../io.ts';
import { findDatasetId } from '../names.ts';

export const inspectCommand = (command: Command, io: Io): void =>
  inspectLocally(command, io, (argument, request) => inspectStored(io, argument, request));

/** A dataset, or a file on another server that the platform fetches. */
async function inspectStored(io: Io, argument: string, request: Parameters<InspectElsewhere>[1]) {
  const input = /^https?:\/\//i.test(argument) ? { url: argument } : { datasetId: await findDatasetId(io, argument) };
  const { body } = await io.api.call<Awaited<ReturnType<InspectElsewhere>>>('POST', '/api/conversion/inspect', {
    body: { ...input, ...request },
  });
  return body;
}
