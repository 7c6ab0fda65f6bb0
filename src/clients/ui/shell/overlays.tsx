import { useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { togglePause } from '../live/live.tsx';
import type { Place } from './places.ts';

const Palette = lazy(async () => await import('./palette.tsx'));
const ShortcutSheet = lazy(async () => await import('./shortcut-sheet.tsx'));

export type Overlay = 'palette' | 'sheet';
type OverlaysProps = {
  places: Place[];
  toPath: (place: Place) => string;
  overlay: Overlay | undefined;
  setOverlay: (overlay: Overlay | undefined) => void;
};

/** The keys that work on every page, and the dialogs that they open. */
export function Overlays({ places, toPath, overlay, setOverlay }: OverlaysProps) {
  const { history } = useRouter();
  useEffect(() => {
    const controller = new AbortController();
    void import('./shortcuts.ts').then(({ listenToShortcuts }) =>
      listenToShortcuts(controller.signal, {
        openPalette: () => setOverlay('palette'),
        openSheet: () => setOverlay('sheet'),
        togglePause,
        goTo: (letter) => {
          const place = places.find((one) => one.letter === letter);
          if (place) history.push(toPath(place));
        },
      }),
    );
    return () => controller.abort();
  }, [places, toPath, history, setOverlay]);
  const close = (): void => setOverlay(undefined);
  return (
    <Suspense>
      {overlay === 'palette' && (
        <Palette places={places} toPath={toPath} onClose={close} openSheet={() => setOverlay('sheet')} />
      )}
      {overlay === 'sheet' && <ShortcutSheet places={places} onClose={close} />}
    </Suspense>
  );
}
