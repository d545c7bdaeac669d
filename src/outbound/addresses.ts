// Which addresses the server may call: public ones, and those of networks that the operator allows. An IPv6
// address that carries an IPv4 address (mapped, translated, 6to4) is treated like that one. Called by
// client.ts for every address before it is connected to.
import { BlockList, isIP } from "node:net";

/** Null: the address may be called; else the reason why not. */
export type AddressCheck = (address: string) => string | null;

/** `networks`: in CIDR notation, or single addresses; `any` allows everything. */
export function addressCheck(networks: readonly string[]): AddressCheck {
  if (networks.includes("any")) return () => null;
  const allowed = networks.length > 0 ? blockList(networks) : null;
  const isAllowed = (address: string) => allowed !== null && holds(allowed, address);
  return (written) => {
    const address = written.replace(/%.*$/, "");
    const version = isIP(address);
    if (version === 0) return "is no IP address";
    const carried = version === 6 ? carriedAddress(address) : null;
    if (isAllowed(address) || (carried !== null && isAllowed(carried))) return null;
    closed ??= { ipv4: blockList(PRIVATE_4), ipv6: blockList(PRIVATE_6) };
    const list = version === 4 || carried !== null ? closed.ipv4 : closed.ipv6;
    return holds(list, carried ?? address) ? "is not public" : null;
  };
}

/**
 * The special-purpose ranges of IANA, multicast, and the one public address that serves metadata of a cloud.
 */
const PRIVATE_4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "168.63.129.16/32",
];
/** Everything but global unicast (2000::/3), and the special ranges within that. */
const PRIVATE_6 = ["::/3", "4000::/2", "8000::/1", "2001::/23", "2001:db8::/32", "3fff::/20"];

/** Made at the first call: loading what they need of the runtime takes milliseconds. */
let closed: { ipv4: BlockList; ipv6: BlockList } | null = null;

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address, bits] = network.split("/");
    const version = isIP(address);
    list.addSubnet(address, Number(bits ?? (version === 4 ? 32 : 128)), version === 4 ? "ipv4" : "ipv6");
  }
  return list;
}

function holds(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");
}

/** The IPv4 address in ::a.b.c.d, ::ffff:a.b.c.d, ::ffff:0:a.b.c.d, 64:ff9b::a.b.c.d and 2002:AABB:CCDD::. */
function carriedAddress(address: string): string | null {
  const groups = groupsOf(address);
  const begins = (...start: number[]) => start.every((group, place) => group === groups[place]);
  if (begins(0x2002)) return dotted(groups[1], groups[2]);
  const isTail =
    begins(0, 0, 0, 0, 0, 0) ||
    begins(0, 0, 0, 0, 0, 0xffff) ||
    begins(0, 0, 0, 0, 0xffff, 0) ||
    begins(0x64, 0xff9b, 0, 0, 0, 0);
  // :: and ::1 carry no IPv4 address; treated as such they would fall into 0.0.0.0/8, with the same outcome.
  return isTail ? dotted(groups[6], groups[7]) : null;
}

/** The eight groups of a valid IPv6 address. */
function groupsOf(address: string): number[] {
  // The canonical form has no dotted part.
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head, tail] = canonical.split("::").map((part) => (part === "" ? [] : part.split(":")));
  const zeros = tail === undefined ? [] : Array<string>(8 - head.length - tail.length).fill("0");
  return [...head, ...zeros, ...(tail ?? [])].map((group) => Number.parseInt(group, 16));
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}
