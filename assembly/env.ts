// Functions of the host that kernels call. They are explained in src/core/core.ts (CoreImports).
export declare function field(path: usize, length: i32): i32;
export declare function shape(json: usize, length: i32): i32;
export declare function number(text: usize, length: i32, out: usize): i32;
export declare function column(path: usize, length: i32): i32;
export declare function double(text: usize, length: i32): f64;
export declare function facet(text: usize, length: i32, out: usize): i32;
export declare function segment(text: usize, length: i32, language: i32, out: usize, most: i32): i32;
export declare function lists(segment: i32, kind: i32, from: u32, to: u32, out: usize): void;
export declare function starts(segment: i32, kind: i32, from: u32, to: u32, out: usize): void;
export declare function numeric(segment: i32, ordinal: u32): i32;
export declare function exhausted(bytes: usize): void;
