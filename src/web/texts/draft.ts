export const draftTexts = {
  changedMeanwhile: 'Somebody else changed this while you were typing. What you typed is kept.',
  conflict: 'Changed by somebody else as well',
  conflictWhy: 'Choose what to keep, then save again.',
  yours: 'Yours',
  theirs: 'Theirs',
  empty: '(empty)',
};
