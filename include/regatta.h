/* regatta.h - placeholder, written below */
