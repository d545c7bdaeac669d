// How a secret (provider key, authorization header) is shown in settings, task details and webhooks: enough
// to recognise it, too little to use it. A secret that is already masked, as in the history of an imported
// dump, stays as it is.

/** Secret shorter than this many bytes -> characters shown in front of the mask. */
const STEPS = [
  { bytesBelow: 10, shown: 0, mask: "XXX..." },
  { bytesBelow: 20, shown: 2, mask: "XXXX..." },
  { bytesBelow: 30, shown: 3, mask: "XXXXX..." },
  { bytesBelow: Number.POSITIVE_INFINITY, shown: 5, mask: "XXXXXX..." },
];

export function maskSecret(secret: string): string {
  if (isMasked(secret)) return secret;
  const bytes = Buffer.byteLength(secret);
  const { shown, mask } = STEPS.find((step) => bytes < step.bytesBelow)!;
  return firstLetters(secret, shown).join("") + mask;
}

function isMasked(text: string): boolean {
  return STEPS.some(({ shown, mask }) => {
    const length = shown + mask.length;
    return text.endsWith(mask) && firstLetters(text, length + 1).length === length;
  });
}

/** A letter has at most two UTF-16 units; cutting first saves splitting a very long secret. */
const firstLetters = (text: string, most: number): string[] => [...text.slice(0, 2 * most)].slice(0, most);
