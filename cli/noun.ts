import type { Command } from 'commander';
import type { Io } from './io.ts';

/** Adds arguments, options, subcommands and actions to a command. Actions throw errors. */
export type Fill = (command: Command, io: Io) => void;

/** Headings of `--help`, one per group of readers. */
export const SECTIONS = {
  data: 'Data:',
  people: 'People and access:',
  operations: 'Operations:',
  machine: 'This machine:',
} as const;

/** First word of a command line, such as `project` in `platform project list`. */
export interface Noun {
  name: string;
  /** Heading of `--help` that lists the noun. */
  section: keyof typeof SECTIONS;
  /** A deprecated noun, whose commands have moved: still accepted, but hidden. */
  hidden?: boolean;
  description: string;
  /** Names in older versions: still accepted, but not shown in help and completion. */
  legacyNames?: readonly string[];
  /** Runs without a server: no `--tenant`, no names in place of ids. */
  local?: boolean;
  /** Verbs that use the settings and the database directly, although the noun is not `local`. */
  directVerbs?: readonly string[];
  /** Concerns all tenants: no `--tenant`. */
  everywhere?: boolean;
  /** Changes are recorded in the audit trail: changing commands have `--reason`. */
  audited?: boolean;
  /** Imports the commands on the first call, so that the program starts quickly. */
  load(): Promise<Fill>;
}

/** Nouns of one section, with what they share. */
export const sectionOf = (
  shared: Pick<Noun, 'section' | 'local'>,
  nouns: Omit<Noun, 'section' | 'local'>[],
): readonly Noun[] => nouns.map((noun) => ({ ...shared, ...noun }));
