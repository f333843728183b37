import type { z } from 'zod';

/** The names that a schema declares, for folding requests. */
export interface Shape {
  /** Members of an object by their names in lower case. Absent for other values, whose names are data and are kept. */
  members?: Map<string, Member>;
  /** Undeclared members are kept. */
  loose: boolean;
  /** Shape of an array's elements. */
  items?: Shape;
  /** Shape of a record's values. */
  values?: Shape;
}

export interface Member {
  /** Declared spelling. */
  name: string;
  shape: Shape;
}

interface Def {
  type: string;
  shape: Record<string, z.core.$ZodType>;
  catchall?: z.core.$ZodType;
  element: z.core.$ZodType;
  valueType: z.core.$ZodType;
  innerType: z.core.$ZodType;
  in: z.core.$ZodType;
  out: z.core.$ZodType;
  options: z.core.$ZodType[];
  left: z.core.$ZodType;
  right: z.core.$ZodType;
  getter(): z.core.$ZodType;
}

export const defOf = (schema: z.core.$ZodType) => schema._zod.def as unknown as Def;

const known = new WeakMap<z.core.$ZodType, Shape>();

/** Compiles a schema once. A recursive schema gives a recursive shape. */
export function compileShape(wrapped: z.core.$ZodType): Shape {
  const schema = unwrapped(wrapped);
  const before = known.get(schema);
  if (before) return before;
  const shape: Shape = { loose: false };
  known.set(schema, shape);
  fill(shape, defOf(schema));
  return shape;
}

/** The schema inside `optional`, `default`, `lazy` and other wrappers; of a pipe, its input. */
function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  const def = defOf(schema);
  if (def.type === 'lazy') return unwrapped(def.getter());
  // the input of `preprocess` declares nothing
  if (def.type === 'pipe') return unwrapped(defOf(def.in).type === 'transform' ? def.out : def.in);
  return def.innerType ? unwrapped(def.innerType) : schema;
}

function fill(shape: Shape, def: Def) {
  switch (def.type) {
    case 'object':
      shape.members = new Map();
      for (const [name, member] of Object.entries(def.shape)) {
        if (shape.members.has(name.toLowerCase()))
          throw new Error(`Two members of a schema differ only in letter case: '${name.toLowerCase()}'.`);
        shape.members.set(name.toLowerCase(), { name, shape: compileShape(member) });
      }
      // keeps undeclared members, which a strict object refuses
      shape.loose = def.catchall !== undefined;
      break;
    case 'array':
      shape.items = compileShape(def.element);
      break;
    case 'record':
      shape.values = compileShape(def.valueType);
      break;
    case 'union':
      for (const option of def.options) join(shape, compileShape(option));
      break;
    case 'intersection':
      join(shape, compileShape(def.left));
      join(shape, compileShape(def.right));
      break;
  }
}

/** Adds the members of `other`: for unions and intersections. */
function join(shape: Shape, other: Shape) {
  shape.loose ||= other.loose;
  if (other.items) shape.items = joined(shape.items, other.items);
  if (other.values) shape.values = joined(shape.values, other.values);
  if (!other.members) return;
  shape.members ??= new Map();
  for (const [lower, member] of other.members) {
    const present = shape.members.get(lower);
    shape.members.set(lower, present ? { name: present.name, shape: joined(present.shape, member.shape) } : member);
  }
}

function joined(one: Shape | undefined, two: Shape): Shape {
  if (!one || one === two) return two;
  const shape: Shape = { loose: false };
  join(shape, one);
  join(shape, two);
  return shape;
}

/** Whether folding can change a value of this shape. False for text, numbers and free-form values. */
export const hasNames = (shape: Shape): boolean => walks(shape, new Set());
function walks(shape: Shape, seen: Set<Shape>): boolean {
  if (seen.has(shape)) return false;
  seen.add(shape);
  if (shape.members) return true;
  return (
    (shape.items !== undefined && walks(shape.items, seen)) || (shape.values !== undefined && walks(shape.values, seen))
  );
}
