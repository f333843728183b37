/** A description, or a description and an example. Examples of bodies consist of the examples of their members. */
export type Entry = string | readonly [description: string, example: unknown];
/** Entries by name of a member or parameter. `Schema.member` has precedence over `member`. */
export type Glossary = Readonly<Record<string, Entry>>;
