import { loadGroup } from './load.ts';

loadGroup(7);
