import type { Data, DataKind } from '../../data/data.ts';
import type { Facet } from '../../formats/define.ts';
import type { Members } from './request-members.ts';
import type { SideInput } from './side-input.ts';
import type { StepContext } from './step-context.ts';

/** Kinds of data that a transformation takes, and which it can make of each, the preferred one first. */
export type MadeKinds = Partial<Readonly<Record<DataKind, readonly [DataKind, ...DataKind[]]>>>;

/**
 * A transformation in a folder of its own: its JSON and what it makes are cheap to load, its code loads when it is
 * applied. T is its form after `read`, with `type`.
 */
export interface StepRule<T extends { readonly type: string }> {
  /** Facet that the data must have. */
  readonly needs: Facet;
  readonly makes: MadeKinds;
  /** Its features are lines or polygons: no bridge to grids follows, as these are made of points. */
  readonly makesNoPoints?: true;
  read(members: Members): T | undefined;
  /** The files and datasets beside the input that it names. */
  sideInputs?(step: T): readonly SideInput[];
  load(): Promise<{ apply: ApplyStep<T> }>;
}

/** Applies a transformation to data of a kind that its rule takes; makes data of the kind `shared.makes`. */
export type ApplyStep<T> = (data: Data, step: T, shared: StepContext) => Data | Promise<Data>;
