export type LogoColours = { ink: string; accent: string; paper: string };

/** Each pair works on light and on dark backgrounds. */
const colourPairs = [
  ['#1f3a8a', '#f59e0b'],
  ['#0f766e', '#fb7185'],
  ['#7c3aed', '#22d3ee'],
  ['#b91c1c', '#fbbf24'],
  ['#166534', '#a3e635'],
  ['#9d174d', '#fda4af'],
  ['#0369a1', '#5eead4'],
  ['#c2410c', '#38bdf8'],
  ['#4338ca', '#f472b6'],
  ['#115e59', '#facc15'],
  ['#334155', '#f97316'],
  ['#6d28d9', '#34d399'],
] as const;

export function pickLogoColours(seed: number): LogoColours {
  const [ink, accent] = colourPairs[seed % colourPairs.length] ?? colourPairs[0];
  return { ink, accent, paper: '#ffffff' };
}
