import type { Command } from 'commander';
import type { Io } from './io.ts';

/** Adds arguments, options, subcommands and actions to a command. Actions throw errors. */
export type Fill = (command: Command, io: Io) => void;

/** Headings of `--help`, by the reader whom the nouns below them concern. */
export const SECTIONS = {
  data: 'Data:',
  people: 'People and access:',
  operations: 'Operations:',
  machine: 'This machine:',
} as const;

/** First word of a command line, such as `project` in `platform project list`. */
export interface Noun {
  name: string;
  /** Heading of `--help` below which the noun stands. */
  section: keyof typeof SECTIONS;
  /** An older noun, whose commands now stand elsewhere: still accepted, but not shown. */
  hidden?: boolean;
  description: string;
  /** Names in older versions: still accepted, but not shown in help and completion. */
  legacyNames?: readonly string[];
  /** Runs without a server: no `--tenant`, no names in place of ids. */
  local?: boolean;
  /** Concerns all tenants: no `--tenant`. */
  everywhere?: boolean;
  /** Changes are recorded in the audit trail: changing commands have `--reason`. */
  audited?: boolean;
  /** Imports the commands on the first call, so that the program starts quickly. */
  load(): Promise<Fill>;
}
