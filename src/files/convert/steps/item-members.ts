import { hasBidiControls, NO_BIDI_CONTROLS } from '../../data/bidi-controls.ts';
import { eumItem, eumItemNamed, eumUnit, eumUnitNamed } from '../../data/eum/eum.ts';
import { findEumUnit } from '../../data/eum/unit-text.ts';
import { isIndex, isText, type Members } from './request-members.ts';

/** Maximum number of characters of a name. */
const MOST_NAME = 255;

const isName = (value: unknown): value is string => isText(value) && value.length <= MOST_NAME;
const isTextOrIndex = (value: unknown): value is string | number => isText(value) || isIndex(value);

/** Reads a required member with the new name of an item. */
export function readItemName(members: Members, member: string): string | undefined {
  const name = members.need(member, isName, `the name of the new item, of at most ${MOST_NAME} characters`);
  if (name !== undefined && hasBidiControls(name))
    members.refuse(member, `${members.pathOf(member)} ${NO_BIDI_CONTROLS}.`);
  return name;
}

/** Reads a member with the identifier or code of an EUM item. Returns its code. */
export function readEumItem(members: Members, member: string): number | undefined {
  const given = members.may(member, isTextOrIndex, 'a quantity such as eumIWaterDepth');
  if (given === undefined) return undefined;
  const found = typeof given === 'number' ? eumItem(given) : eumItemNamed(given);
  return found?.code ?? members.refuse(member, `${members.pathOf(member)} is '${given}', which is not an item of EUM.`);
}

/** Reads a member with the identifier, code or symbol of an EUM unit. Returns its code. */
export function readEumUnit(members: Members, member: string): number | undefined {
  const given = members.may(member, isTextOrIndex, 'a unit such as eumUmeter or m');
  if (given === undefined) return undefined;
  const found = typeof given === 'number' ? eumUnit(given) : (eumUnitNamed(given) ?? findEumUnit(given));
  return found?.code ?? members.refuse(member, `${members.pathOf(member)} is '${given}', which is not a unit of EUM.`);
}
