import type { Command } from 'commander';
import type { Io } from './io.ts';

/** Adds options, verbs and actions to a command that has its name and description. An action that fails throws. */
export type Fill = (command: Command, io: Io) => void;

/** First word of a command line, such as `project` in `platform project list`. */
export interface Noun {
  name: string;
  description: string;
  /** Names in older versions, still understood; help and completion do not show them. */
  former?: readonly string[];
  /** Needs no server: its commands have no `--tenant` and resolve no names. */
  local?: boolean;
  /** Belongs to no tenant: its commands have no `--tenant`. */
  everywhere?: boolean;
  /** Changes are recorded in the audit trail: commands that change something take `--reason`. */
  audited?: boolean;
  /** Imports the commands on the first call, so that the program starts quickly. */
  load(): Promise<Fill>;
}
