// What every list and message does with text of others.

/** Text of others for a label, in which `$(…)` would stand for an icon. */
export function plain(text: string): string {
  return text.replaceAll('$(', '$\u200b(');
}
