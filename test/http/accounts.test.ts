import test from 'ava';
import { world } from '../world.ts';
import { accountRules } from './account-rules.ts';

accountRules(test, world(test));
