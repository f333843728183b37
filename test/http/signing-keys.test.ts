import test from 'ava';
import { sql } from '../../src/db.ts';
import { KeyStore } from '../../src/platform/keys/key-store.ts';
import { Signer } from '../../src/platform/keys/signing-keys.ts';
import { testDatabase } from '../world.ts';

test('processes that start concurrently sign with the same key', async (t) => {
  const { db, close } = await testDatabase();
  t.teardown(close);
  const signers = await Promise.all(Array.from({ length: 8 }, () => Signer.open(db, new KeyStore(), 'cursor')));
  const kids = await Promise.all(signers.map(async (signer) => (await signer.sign('x')).kid));
  t.is(new Set(kids).size, 1);
});

test('a signature is valid only for its text and purpose, also after its key is retired', async (t) => {
  const { db, close } = await testDatabase();
  t.teardown(close);
  const signer = await Signer.open(db, new KeyStore(), 'cursor');
  const { kid, signature } = await signer.sign('one');
  t.true(await signer.verify('one', kid, signature));
  t.false(await signer.verify('two', kid, signature));
  t.false(await signer.verify('one', kid, signature.subarray(1)));
  t.false(await signer.verify('one', 'no such key', signature));
  t.false(await (await Signer.open(db, new KeyStore(), 'address')).verify('one', kid, signature));

  await db.transaction((tx) => tx.query(sql.unsafe`update signing_keys set retired_at = now() where kid = ${kid}`));
  const later = await Signer.open(db, new KeyStore(), 'cursor');
  t.not((await later.sign('one')).kid, kid);
  t.true(await later.verify('one', kid, signature));
});
