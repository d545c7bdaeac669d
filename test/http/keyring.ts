// Keys for the tests of the HTTP face: their values are computed here, and tenant tokens signed by another
// library, so that the server is not compared with itself.
import { createHmac } from "node:crypto";
import { SignJWT } from "jose";
import type { ActionName } from "../../src/schemas/actions.ts";
import type { StoredKey } from "../../src/tasks/keys.ts";

export const MASTER_KEY = "a key of more than 16 bytes";
export const READER_UID = "0f0d5a2c-6d0b-4c0e-8a3d-5b1c6e7f8a90";

/** A uid for each number below 16. */
export function uidOf(number: number): string {
  return `00000000-0000-4000-8000-00000000000${number.toString(16)}`;
}

export function keyValue(uid: string, masterKey = MASTER_KEY): string {
  return createHmac("sha256", masterKey).update(uid).digest("hex");
}

export function storedKey(
  uid: string,
  actions: ActionName[],
  indexes = ["*"],
  expiresAt: string | null = null,
): StoredKey {
  return { uid, name: null, description: null, actions, indexes, expiresAt, createdAt: 1, updatedAt: 1 };
}

export function bearer(value: string): { authorization: string } {
  return { authorization: `Bearer ${value}` };
}

/** A token of the key with that uid; `secret`: what signs it instead of the value of the key. */
export async function tenantToken(
  claims: Record<string, unknown>,
  { uid = READER_UID, algorithm = "HS256", secret = keyValue(uid) } = {},
): Promise<string> {
  return new SignJWT({ apiKeyUid: uid, ...claims })
    .setProtectedHeader({ alg: algorithm, typ: "JWT" })
    .sign(new TextEncoder().encode(secret));
}
