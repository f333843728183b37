import { loadGroup } from './load.ts';

loadGroup(4);
