// Which addresses may be called, in every way of writing them.
import { equal, notEqual } from "node:assert/strict";
import { test } from "node:test";
import { addressCheck } from "../../src/outbound/addresses.ts";

const PRIVATE = [
  "0.0.0.0",
  "10.1.2.3",
  "100.100.100.200",
  "127.0.0.1",
  "127.255.255.255",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.2.1",
  "192.168.0.1",
  "198.18.0.1",
  "198.19.255.255",
  "224.0.0.1",
  "255.255.255.255",
  "168.63.129.16",
  "::",
  "::1",
  "fe80::1",
  "fe80::1%eth0",
  "fc00::1",
  "fd00:ec2::254",
  "ff02::1",
  "fec0::1",
  "2001:db8::1",
  "2001::1",
  "2001:1ff:ffff::1",
  "3fff:fff:ffff::1",
  "1fff:ffff::1",
  "7fff:ffff::1",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "::ffff:169.254.169.254",
  "::10.0.0.1",
  "64:ff9b::10.0.0.1",
  "64:ff9b:1::1",
  "2002:7f00:1::",
  "2002:c0a8:1::1",
  "2002:c0a8:101::1",
  "::ffff:0:192.168.0.1",
  "100::1",
];
const PUBLIC = [
  "1.1.1.1",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "126.255.255.255",
  "128.0.0.1",
  "172.15.0.1",
  "172.32.0.1",
  "192.167.1.1",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "2606:4700::1111",
  "2a00::1",
  "3000::1",
  "2000::1",
  "2001:200::1",
  "3fff:1000::1",
  "::8.8.8.8",
  "::ffff:1.1.1.1",
  "::ffff:0:1.1.1.1",
  "64:ff9b::8.8.8.8",
  "2002:808:808::1",
];

test("addresses that are not public are refused, in every form", () => {
  const check = addressCheck([]);
  for (const address of PRIVATE) notEqual(check(address), null, address);
  for (const address of PUBLIC) equal(check(address), null, address);
});

test("what is no address is refused", () => {
  for (const text of ["", "localhost", "1.2.3", "1.1.1.1:80"]) notEqual(addressCheck([])(text), null, text);
});

test("allowed networks open their addresses only", () => {
  const check = addressCheck(["10.0.0.0/8", "192.168.1.7", "fd00::/8", "::1"]);
  for (const address of ["10.1.2.3", "192.168.1.7", "fd12::1", "::1", "::ffff:10.0.0.1", "64:ff9b::10.0.0.1"])
    equal(check(address), null, address);
  for (const address of ["127.0.0.1", "192.168.1.8", "fe80::1", "::ffff:127.0.0.1"])
    notEqual(check(address), null, address);
  for (const address of PUBLIC) equal(check(address), null, address);
});

test("`any` allows every address", () => {
  for (const address of [...PRIVATE, ...PUBLIC])
    equal(addressCheck(["127.0.0.1", "any"])(address), null, address);
});
