// The least memory of the inverter (exports/inverter.ts), as the core and the host agree on it.

export const INVERTER_BYTES_MIN = 65536;
