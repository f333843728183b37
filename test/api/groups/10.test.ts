import { loadGroup } from './load.ts';

loadGroup(10);
