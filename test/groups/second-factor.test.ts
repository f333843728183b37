import test from 'ava';
import { type MalformedEntry, parseSecondFactor } from '../../src/groups/second-factor.ts';
import { contains, parseAddress, parseNetwork, rateLimitKey } from '../../src/platform/net/networks.ts';

const holds = (network: string, text: string) => {
  const address = parseAddress(text);
  if (!address) throw new Error(`${text} is no address`);
  return contains(parseNetwork(network), address);
};

test('a network matches the addresses that share its prefix', (t) => {
  for (const [network, inside, outside] of [
    ['10.0.0.0/8', '10.255.255.255', '11.0.0.0'],
    ['192.168.7.0/25', '192.168.7.127', '192.168.7.128'],
    ['0.0.0.0/0', '203.0.113.9', '2001:db8::1'],
    ['2001:db8::/32', '2001:db8:ffff::1', '2001:db9::'],
    ['2001:db8:0:8000::/49', '2001:db8:0:ffff::', '2001:db8:0:7fff::'],
    ['::/0', 'ffff::', '10.0.0.1'],
    ['fe80::/10', 'fe80::1%eth0', 'fec0::1'],
  ] as const) {
    t.true(holds(network, inside), `${inside} in ${network}`);
    t.false(holds(network, outside), `${outside} in ${network}`);
  }
});

test('a bare address is a network of one', (t) => {
  t.true(holds('203.0.113.9', '203.0.113.9'));
  t.false(holds('203.0.113.9', '203.0.113.8'));
  t.true(holds('2001:db8::9', '2001:db8:0:0:0:0:0:9'));
  t.false(holds('2001:db8::9', '2001:db8::8'));
});

test('host bits are masked', (t) => {
  t.true(holds('10.1.2.3/8', '10.200.0.1'));
  t.true(holds('2001:db8::1/32', '2001:db8:1::'));
});

test('IPv4 in IPv6 form is IPv4, on both sides; its prefix must be 96 or more', (t) => {
  t.true(holds('10.0.0.0/8', '::ffff:10.1.2.3'));
  t.true(holds('10.0.0.0/8', '::ffff:a01:203'));
  t.true(holds('::ffff:10.0.0.0/104', '10.1.2.3'));
  t.false(holds('::ffff:10.0.0.0/104', '11.1.2.3'));
  t.true(holds('::ffff:10.1.2.3', '10.1.2.3'));
  t.true(holds('::ffff:0:0/96', '203.0.113.9'));
  for (const text of ['::ffff:10.0.0.0/95', '::ffff:10.0.0.0/8'])
    t.throws(() => parseNetwork(text), { message: `'${text}' is not a network: the prefix length must be 96 to 128.` });
});

test('an invalid network is refused with its text', (t) => {
  for (const text of [
    '',
    ' ',
    '10.0.0/8',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '010.0.0.0/8',
    '10.0.0.0/08',
    '2001:db8::/129',
    '2001:db8:::/32',
    'fe80::1%eth0/64',
    '1:2:3:4:5:6:7:8:9',
    'example.org',
    '*',
    '10.0.0.0/1e1',
    '10.1.2.3:443',
    '[2001:db8::1]/64',
  ]) {
    const { message } = t.throws(() => parseNetwork(text), undefined, text) ?? {};
    t.true(message?.includes(`'${text}'`), message);
  }
});

test('an IPv6 client is counted by its /64, an IPv4 client by its address in either form', (t) => {
  t.is(rateLimitKey('2001:db8:1:2::1'), rateLimitKey('2001:db8:1:2:ffff:ffff:ffff:ffff'));
  t.not(rateLimitKey('2001:db8:1:2::1'), rateLimitKey('2001:db8:1:3::1'));
  t.is(rateLimitKey('10.1.2.3'), rateLimitKey('::ffff:10.1.2.3'));
  t.not(rateLimitKey('10.1.2.3'), rateLimitKey('10.1.2.4'));
});

test('the port that a proxy adds to an address is ignored', (t) => {
  t.deepEqual(parseAddress('10.1.2.3:5678'), parseAddress('10.1.2.3'));
  t.deepEqual(parseAddress('[::1]:5678'), parseAddress('::1'));
  t.deepEqual(parseAddress('[2001:db8::1]'), parseAddress('2001:db8::1'));
  t.is(rateLimitKey('10.1.2.3:5678'), rateLimitKey('10.1.2.3:5679'));
  for (const text of [
    '10.1.2.3:',
    '10.1.2.3:123456',
    '[10.1.2.3]:80',
    '[::1]:',
    '::1]:80',
    '[[::1]]:80',
    '10.1.2:80',
    '1:2',
  ])
    t.is(parseAddress(text), undefined, text);
});

test('an entry is split at its first colon, freed of its comment in any letter case, and trimmed', (t) => {
  const { networks, authenticators } = parseSecondFactor([
    'CIDR: 2001:db8::/32 &Comment: the office: 2nd floor',
    'CIDR:10.0.0.0/8&COMMENT:&comment:twice',
    ' APPAUTH :abc:def&ghi=jkl/ &comment:shared',
    'APPAUTH:0123456789abcdef',
  ]);
  t.deepEqual(
    networks.map(({ text }) => text),
    ['2001:db8::/32', '10.0.0.0/8'],
  );
  t.deepEqual(authenticators, [
    { type: 'APPAUTH', setupCode: 'abc:def&ghi=jkl/' },
    { type: 'APPAUTH', setupCode: '0123456789abcdef' },
  ]);
  t.deepEqual(parseSecondFactor([]), { networks: [], authenticators: [] });
});

for (const [entry, sentence] of [
  ['CIDR:10.0.0.0/40', "Entry 2: '10.0.0.0/40' is not a network: the prefix length must be 0 to 32."],
  ['CIDR:', "Entry 2: '' is not a network such as 10.0.0.0/8 or 2001:db8::/32."],
  ['cidr:10.0.0.0/8', "Entry 2 begins with 'cidr:', not with CIDR or APPAUTH and a colon."],
  ['appauth:0123456789abcdef', "Entry 2 begins with 'appauth:', not with CIDR or APPAUTH and a colon."],
  ['0123456789abcdef', 'Entry 2 begins without a type, not with CIDR or APPAUTH and a colon.'],
  ['0123456789abcdef:APPAUTH', 'Entry 2 begins without a type, not with CIDR or APPAUTH and a colon.'],
  ['', 'Entry 2 begins without a type, not with CIDR or APPAUTH and a colon.'],
  ['APPAUTH:0123456789abcde', 'Entry 2 (APPAUTH): its setup code must have 16 visible ASCII characters, not 15.'],
  ['APPAUTH:0123456789abcdefg', 'Entry 2 (APPAUTH): its setup code must have 16 visible ASCII characters, not 17.'],
  ['APPAUTH:0123456 89abcdef', 'Entry 2 (APPAUTH): its setup code must have 16 visible ASCII characters, not 16.'],
] as const) {
  test(`a malformed entry is refused with its place and never with its secret: '${entry}'`, (t) => {
    const error = t.throws<MalformedEntry>(() => parseSecondFactor(['CIDR:10.0.0.0/8', entry]));
    t.is(error?.message, sentence);
    t.is(error?.index, 1);
  });
}
