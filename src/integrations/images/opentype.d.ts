// The types of the package depend on browser types, which this program does not have.
declare module 'opentype.js' {
  type Path = {
    getBoundingBox(): { x1: number; y1: number; x2: number; y2: number };
    toPathData(decimalPlaces: number): string;
  };
  type Font = { getPath(text: string, x: number, y: number, fontSize: number): Path };
  const opentype: { parse(font: ArrayBuffer): Font };
  export default opentype;
  export type { Font };
}
