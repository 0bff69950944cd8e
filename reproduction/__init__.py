"""The paper's figures, one script each: `./run reproduce NAME`."""
