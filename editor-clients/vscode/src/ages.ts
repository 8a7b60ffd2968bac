// When something was, in the user's language.

const DAY = 24 * 60 * 60 * 1000;

/** Units with their lengths in days, and from how many days on they are used: as in what the server tells of ages. */
const UNITS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, length: number, from: number])[] = [
  ['year', 365, 730],
  ['month', 30, 60],
  ['week', 7, 14],
];

/** How long ago a day such as 2026-03-01 was; today and yesterday are called so. */
export function daysAgo(day: string, language: string, now = new Date()): string {
  const [year, month, date] = day.split('-').map(Number);
  // Days of the calendar, whatever the clocks did in between.
  const today = Date.UTC(now.getFullYear(), now.getMonth(), now.getDate());
  const days = Math.round((today - Date.UTC(year!, month! - 1, date)) / DAY);
  const [unit, length] = UNITS.find(([, , from]) => Math.abs(days) >= from) ?? (['day', 1] as const);
  const format = new Intl.RelativeTimeFormat(language, { numeric: unit === 'day' ? 'auto' : 'always' });
  return format.format(-Math.trunc(days / length), unit);
}

/** A point of time: by the clock, with the day where that is not today. */
export function timeOf(time: string, language: string, now = new Date()): string {
  const date = new Date(time);
  const isToday = date.toDateString() === now.toDateString();
  return date.toLocaleString(language, isToday ? { timeStyle: 'short' } : { dateStyle: 'medium', timeStyle: 'short' });
}
